from pathlib import Path

import pytest
from eventservices.errors import MalformedError
from eventservices.steam.geometry import Position
from eventservices.steam.location import FixedLocation, LiveLocation, TraceLocation
from eventservices.steam.trace import MAX_TRACES, _load, load_trace

HEADER = "time_us,vehicle,licence,lat,lon,speed_kmh\n"
ROWS = (
    "1000000,a,FES0001,50.0,11.0,30\n"
    "1000000,b,FES0002,10.0,179.9,30\n"
    "2000000,a,FES0001,50.2,11.4,30\n"
    "2000000,b,FES0002,10.0,-179.9,30\n"
    "4000000,a,FES0001,50.2,11.4,0\n"
)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "trace.csv"
    path.write_text(HEADER + ROWS)
    return path


def near(position: Position | None) -> object:
    assert position is not None
    return pytest.approx((position.lat, position.lon))


def test_a_fixed_location_is_the_same_at_all_times() -> None:
    location = FixedLocation(50.0, 11.0)
    assert location.position_at(0) == location.position_at(2**60) == Position(50.0, 11.0)


def test_a_trace_is_exact_at_its_points(trace: Path) -> None:
    assert TraceLocation(trace, "a").position_at(1_000_000) == Position(50.0, 11.0)
    assert TraceLocation(trace, "a").position_at(4_000_000) == Position(50.2, 11.4)


def test_a_trace_is_linear_between_its_points(trace: Path) -> None:
    assert near(TraceLocation(trace, "a").position_at(1_250_000)) == (50.05, 11.1)


def test_a_trace_is_interpolated_the_short_way_over_the_date_line(trace: Path) -> None:
    assert near(TraceLocation(trace, "b").position_at(1_750_000)) == (10.0, -179.95)


def test_a_vehicle_is_nowhere_before_its_first_and_after_its_last_point(trace: Path) -> None:
    location = TraceLocation(trace, "b")
    assert location.position_at(999_999) is None
    assert location.position_at(2_000_001) is None


def test_many_vehicles_share_one_reading_of_the_file(trace: Path) -> None:
    before = _load.cache_info().misses
    for vehicle in "abab":
        TraceLocation(trace, vehicle)
    assert _load.cache_info().misses == before + 1


def test_a_file_that_changed_is_read_again(trace: Path) -> None:
    load_trace(trace)
    trace.write_text(HEADER + ROWS + "5000000,c,FES0003,1,2,0\n")
    assert TraceLocation(trace, "c").position_at(5_000_000) == Position(1.0, 2.0)


def test_no_more_traces_are_kept_than_the_limit(tmp_path: Path) -> None:
    for number in range(MAX_TRACES + 2):
        path = tmp_path / f"{number}.csv"
        path.write_text(HEADER + ROWS)
        load_trace(path)
    assert _load.cache_info().currsize == MAX_TRACES


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("", ":1"),
        ("time_us,vehicle,lat\n", ":1"),
        (HEADER + "x,a,F,1,2,3\n", ":2"),
        (HEADER + "1,a,F,91,2,3\n", ":2"),
        (HEADER + "1,a,F,1,nan,3\n", ":2"),
        (HEADER + "1,a\n", ":2"),
        (HEADER + "99999999999999999999,a,F,1,2,3\n", ":2"),
        (HEADER + "2,a,F,1,2,3\n1,a,F,1,2,3\n", ":3"),
    ],
)
def test_a_malformed_trace_is_refused_with_its_line(
    tmp_path: Path, content: str, place: str
) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(content)
    with pytest.raises(MalformedError, match=f"bad.csv{place}"):
        TraceLocation(path, "a")


def test_a_vehicle_that_is_not_in_the_trace_is_refused(trace: Path) -> None:
    with pytest.raises(MalformedError, match="'z'"):
        TraceLocation(trace, "z")


def test_a_live_location_interpolates_holds_and_expires() -> None:
    location = LiveLocation(hold_s=5.0)
    assert location.position_at(1) is None
    location.update(1_000_000, 50.0, 11.0)
    location.update(2_000_000, 50.2, 11.4)
    assert location.position_at(999_999) is None
    assert location.position_at(1_000_000) == Position(50.0, 11.0)
    assert near(location.position_at(1_500_000)) == (50.1, 11.2)
    assert location.position_at(7_000_000) == Position(50.2, 11.4)
    assert location.position_at(7_000_001) is None


def test_a_live_location_forgets_its_oldest_fixes() -> None:
    location = LiveLocation(fixes=2)
    for time_us in (1, 2, 3):
        location.update(time_us, 0.0, float(time_us))
    assert location.position_at(1) is None
    assert location.position_at(2) == Position(0.0, 2.0)


def test_a_fix_that_is_not_newer_is_refused() -> None:
    location = LiveLocation()
    location.update(5, 0.0, 0.0)
    with pytest.raises(MalformedError, match="not newer"):
        location.update(5, 0.0, 0.0)


@pytest.mark.parametrize(
    ("content", "line"),
    [(b"\xff\xfe\n", 1), (b"time_us,vehicle,lat,lon\n1,a,1,2\n2,\xff,1,2\n", 3)],
)
def test_a_trace_that_is_not_text_is_refused(tmp_path: Path, content: bytes, line: int) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    with pytest.raises(MalformedError, match=rf"bad\.csv:{line}:"):
        TraceLocation(path, "a")
