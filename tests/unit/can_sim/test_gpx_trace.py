from pathlib import Path

import pytest
from can_sim.errors import InputError
from can_sim.geometry import distance_m
from can_sim.sample import Sample, Sampling
from can_sim.sources.gpx_trace import read
from can_sim.tally import Tally


def point(lat: float, lon: float, time: str = "") -> str:
    inside = f"<time>{time}</time>" if time else ""
    return f'<trkpt lat="{lat}" lon="{lon}">{inside}</trkpt>'


def track(name: str, *segments: str) -> str:
    parts = "".join(f"<trkseg>{segment}</trkseg>" for segment in segments)
    return f"<trk><name>{name}</name>{parts}</trk>"


def samples(folder: Path, *tracks: str, tally: Tally | None = None) -> list[Sample]:
    head = '<gpx version="1.1" creator="us" xmlns="http://www.topografix.com/GPX/1/1">'
    path = folder / "walk.gpx"
    path.write_text(f'<?xml version="1.0"?>{head}{"".join(tracks)}</gpx>', "utf-8")
    trace = read(path, tally or Tally())
    assert trace.sampling is Sampling.INTERVAL
    return list(trace.samples)


@pytest.mark.parametrize(
    ("time", "time_us"),
    [
        ("2015-06-17T13:44:47.609273374Z", 1_434_548_687_609_273),
        ("2015-06-17T13:44:47Z", 1_434_548_687_000_000),
        ("2015-06-17T15:44:47.5+02:00", 1_434_548_687_500_000),
        ("2015-06-17T13:44:47.123456", 1_434_548_687_123_456),
    ],
)
def test_times_have_up_to_nine_decimals_and_any_zone_d08(
    tmp_path: Path, time: str, time_us: int
) -> None:
    (found,) = samples(tmp_path, track("T", point(1, 2, time)))
    assert found.time_us == time_us


def test_zones_may_be_mixed_in_one_track_d08(tmp_path: Path) -> None:
    found = samples(
        tmp_path,
        track(
            "T",
            point(50, 8, "2020-01-01T12:00:00.000000001Z")
            + point(50.001, 8, "2020-01-01T14:00:10+02:00"),
        ),
    )
    assert found[1].time_us - found[0].time_us == 10_000_000
    assert found[1].speed_kmh == pytest.approx(distance_m(50, 8, 50.001, 8) / 10 * 3.6)


def test_the_first_point_has_no_speed(tmp_path: Path) -> None:
    found = samples(tmp_path, track("T", point(50, 8, "2020-01-01T12:00:00Z")))
    assert found[0].speed_kmh == 0.0


def test_each_segment_is_a_vehicle_of_its_own_name(tmp_path: Path) -> None:
    one = point(50, 8, "2020-01-01T12:00:00Z")
    found = samples(
        tmp_path, track("A", one), track("B", one, one), track("A", one), track("", one)
    )
    assert [sample.vehicle for sample in found] == ["A", "B-1", "B-2", "A-2", "walk"]


def test_points_without_a_time_or_off_the_globe_are_counted(tmp_path: Path) -> None:
    tally = Tally()
    found = samples(
        tmp_path,
        track("T", point(50, 8) + point(95, 8, "2020-01-01T12:00:00Z") + point(0, 0, "yesterday")),
        tally=tally,
    )
    assert found == []
    assert tally.skipped == {"no_time": 1, "bad_time": 1, "bad_position": 1}


def test_points_at_the_same_time_give_one_sample_and_no_division_by_zero(tmp_path: Path) -> None:
    tally = Tally()
    same = [point(50 + n / 1000, 8, "2020-01-01T12:00:00Z") for n in range(3)]
    assert len(samples(tmp_path, track("T", "".join(same)), tally=tally)) == 1
    assert tally.skipped == {"same_time": 2}


def test_a_file_without_tracks_gives_nothing(tmp_path: Path) -> None:
    assert samples(tmp_path, '<wpt lat="1" lon="2"/>') == []


@pytest.mark.parametrize(
    "text", ["", "lat,lon\n1,2\n", "<gpx><trk>", "<gpx version='1.1'>&x;</gpx>"]
)
def test_what_is_not_gpx_names_its_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.gpx"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"bad\.gpx"):
        read(path, Tally())
