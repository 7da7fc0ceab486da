import gzip
from pathlib import Path

import pytest
from can_sim.errors import InputError
from can_sim.sample import Sample, Sampling, Trace
from can_sim.sources.csv_trace import read
from can_sim.tally import Tally


def trace(folder: Path, text: str, tally: Tally | None = None) -> Trace:
    path = folder / "fleet.csv"
    path.write_bytes(text.encode())
    return read(path, tally or Tally())


def test_the_usual_columns_are_read(tmp_path: Path) -> None:
    found = trace(tmp_path, "time_s,vehicle,lat,lon,speed_kmh,lane\n1.5,CAR,50.1,8.2,43.21,7\n")
    assert found == Trace([Sample(1_500_000, "CAR", 50.1, 8.2, 43.21)], Sampling.LINEAR)


@pytest.mark.parametrize(
    ("column", "text", "time_us"),
    [
        ("time_us", "1500001", 1_500_001),
        ("time", "12.25", 12_250_000),
        ("timestamp", "2020-01-01T00:00:00Z", 1_577_836_800_000_000),
        ("time_utc", "2020-01-01T01:00:00.5+01:00", 1_577_836_800_500_000),
        ("time", "2020-01-01 00:00:00", 1_577_836_800_000_000),
    ],
)
def test_times_are_numbers_or_moments(tmp_path: Path, column: str, text: str, time_us: int) -> None:
    found = trace(tmp_path, f"{column},id,y,x,speed\n{text},A,1,2,3\n")
    assert found.samples[0].time_us == time_us


@pytest.mark.parametrize(
    ("column", "kmh"),
    [("speed_kmh", 10.0), ("speed_mps", 36.0), ("speed_mph", 16.09344), ("Speed_KMH_from_gps", 10)],
)
def test_the_unit_is_in_the_columns_name(tmp_path: Path, column: str, kmh: float) -> None:
    found = trace(tmp_path, f"time,veh,latitude,longitude,{column}\n0,A,1,2,10\n")
    assert found.samples[0].speed_kmh == pytest.approx(kmh)


def test_a_plain_speed_is_taken_for_kmh_and_that_is_said(tmp_path: Path) -> None:
    tally = Tally()
    found = trace(tmp_path, "time,veh,lat,lon,speed\n0,A,1,2,10\n", tally)
    assert found.samples[0].speed_kmh == 10
    assert "taken for km/h" in tally.notes[0]


def test_a_bad_row_names_file_line_and_column_and_the_others_stay(tmp_path: Path) -> None:
    tally = Tally()
    text = (
        "time_s,vehicle,lat,lon,speed_kmh\n"
        "0,A,1,2,3\n1,A,91,2,3\n2,A,1,2,fast\n3,A,1\n\n4,A,1,2,3\n"
    )
    found = trace(tmp_path, text, tally)
    assert [sample.time_us for sample in found.samples] == [0, 4_000_000]
    assert tally.skipped == {"bad_row": 3}
    path = tmp_path / "fleet.csv"
    assert tally.notes == [
        f"{path}:3: column lat: 91 is out of range",
        f"{path}:4: column speed_kmh: 'fast' is not a number",
        f"{path}:5: column lon: is empty",
    ]


def test_a_strict_tally_refuses_the_first_bad_row(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"fleet\.csv:2: column time_s: 'soon' is not a time"):
        trace(tmp_path, "time_s,vehicle,lat,lon,speed_kmh\nsoon,A,1,2,3\n", Tally(strict=True))


@pytest.mark.parametrize("value", ["nan", "inf", "1e999", "0x10", "1_0"])
def test_numbers_are_finite(tmp_path: Path, value: str) -> None:
    tally = Tally()
    trace(tmp_path, f"time_s,vehicle,lat,lon,speed_kmh\n{value},A,1,2,3\n0,A,1,2,{value}\n", tally)
    assert tally.skipped == {"bad_row": 2}


@pytest.mark.parametrize("absent", ["time_s", "lat", "lon"])
def test_a_missing_column_is_refused(tmp_path: Path, absent: str) -> None:
    header = "time_s,vehicle,lat,lon,speed_kmh".replace(absent, "other")
    with pytest.raises(InputError, match=r"fleet\.csv:1: column .*missing"):
        trace(tmp_path, header + "\n0,A,1,2,3\n")


def test_without_a_vehicle_the_file_is_one(tmp_path: Path) -> None:
    assert trace(tmp_path, "time,lat,lon,speed\n0,1,2,3\n").samples[0].vehicle == "fleet"


def test_without_a_speed_it_is_computed(tmp_path: Path) -> None:
    found = trace(tmp_path, "time,lat,lon\n0,50,8\n10,50.001,8\n")
    assert found.sampling is Sampling.INTERVAL
    assert found.samples[1].speed_kmh == pytest.approx(40.03, abs=0.01)


def test_other_separators_and_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    found = trace(tmp_path, "\ufefftime;vehicle;lat;lon;speed\r\n0;A;1;2;3\r\n")
    assert found.samples == [Sample(0, "A", 1, 2, 3)]


def test_a_compressed_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "fleet.csv.gz"
    path.write_bytes(gzip.compress(b"time,vehicle,lat,lon,speed\n0,A,1,2,3\n"))
    assert len(read(path, Tally()).samples) == 1


def test_an_empty_file_has_no_header(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"fleet\.csv:1: has no header"):
        trace(tmp_path, "")
