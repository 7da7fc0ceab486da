from pathlib import Path

import pytest
from can_sim.errors import InputError
from can_sim.sample import Sample, Sampling, Trace
from can_sim.sources.can_trace import CanSource, read
from can_sim.sources.positions import Positions
from can_sim.tally import Tally

S = 1_000_000
DBC = """VERSION ""
BS_:
BU_: N

BO_ 280 Motion: 6 N
 SG_ VehicleSpeed : 16|12@1+ (0.05,-25) [-25|179.75] "MPH" N
"""


def positions(*vehicles: str, start_us: int = 0) -> Positions:
    rows = [
        Sample(start_us + n * 10 * S, vehicle, n * 0.1, n * 0.2, 0)
        for vehicle in vehicles or ("any",)
        for n in range(3)
    ]
    return Positions(Trace(rows, Sampling.LINEAR), "places.csv", Tally())


def trace(
    folder: Path,
    text: str,
    places: Positions | None = None,
    tally: Tally | None = None,
    **more: object,
) -> Trace:
    log = folder / "drive.log"
    log.write_text(text, "utf-8")
    dbc = None
    if more.pop("dbc", False):
        dbc = folder / "made.dbc"
        dbc.write_text(DBC, "utf-8")
    source = CanSource(log, dbc, align=bool(more.get("align")))
    return read(source, places or positions(), tally or Tally())


def licensed(second: float, licence: str, rate: int) -> str:
    return f"({second:.6f}) can0 00003039#{licence.encode().hex()}{rate:02X}\n"


def mph(second: float, raw: int, channel: str = "can0") -> str:
    return f"({second:.6f}) {channel} 118#{(raw << 16).to_bytes(6, 'little').hex()}\n"


def test_a_speed_frame_names_its_vehicle_and_the_place_is_interpolated(tmp_path: Path) -> None:
    found = trace(tmp_path, licensed(5, "TEST001", 77))
    assert found.sampling is Sampling.KEPT
    assert found.samples == [Sample(5 * S, "TEST001", 0.05, 0.1, 77.0)]


def test_positions_are_taken_by_licence_where_there_are_several(tmp_path: Path) -> None:
    tally = Tally()
    text = licensed(5, "TEST001", 1) + licensed(6, "TEST002", 2)
    found = trace(tmp_path, text, positions("TEST002", "TEST003"), tally)
    assert [sample.vehicle for sample in found.samples] == ["TEST002"]
    assert tally.skipped == {"no_position": 1}


def test_a_dbc_tells_the_speed_and_the_log_is_the_vehicle(tmp_path: Path) -> None:
    found = trace(tmp_path, mph(1.25, 1025), dbc=True)
    (sample,) = found.samples
    assert (sample.time_us, sample.vehicle) == (1_250_000, "drive")
    assert sample.speed_kmh == pytest.approx(26.25 * 1.609344)


def test_two_channels_are_two_vehicles(tmp_path: Path) -> None:
    found = trace(tmp_path, mph(1, 600) + mph(1, 700, "can1"), dbc=True)
    assert [sample.vehicle for sample in found.samples] == ["drive-can0", "drive-can1"]


def test_the_latest_frame_of_each_second_is_kept_with_its_own_time(tmp_path: Path) -> None:
    tally = Tally()
    text = "".join(mph(1 + n / 10, 600 + n) for n in range(15))
    found = trace(tmp_path, text, tally=tally, dbc=True)
    assert [sample.time_us for sample in found.samples] == [1_900_000, 2_400_000]
    assert tally.skipped == {"more_than_one_a_second": 13}


def test_what_tells_no_speed_is_counted_by_reason(tmp_path: Path) -> None:
    tally = Tally()
    lines = [
        mph(1, 4095),
        "(1.000000) can0 118#0000\n",
        "(1.000000) can0 119#00\n",
        "(1.000000) can0 118#R\n",
        "(1.000000) can0 20000004#0010000000000000\n",
        "  can0  118   [6]  00 00 00 00 00 00\n",
        mph(2, 600),
    ]
    assert len(trace(tmp_path, "".join(lines), tally=tally, dbc=True).samples) == 1
    assert tally.skipped == {
        "not_available": 1,
        "short_frame": 1,
        "other_frame": 1,
        "remote_frame": 1,
        "error_frame": 1,
        "no_time": 1,
    }


def test_a_cut_speed_frame_is_counted(tmp_path: Path) -> None:
    tally = Tally()
    text = licensed(1, "TEST001", 30) + "(2.000000) can0 00003039#54455354"
    assert len(trace(tmp_path, text, tally=tally).samples) == 1
    assert tally.skipped == {"short_frame": 1}


def test_an_eleven_bit_identifier_is_never_the_speed_frame(tmp_path: Path) -> None:
    tally = Tally()
    assert trace(tmp_path, "(1.000000) can0 039#5445535430303142\n", tally=tally).samples == []
    assert tally.skipped == {"other_frame": 1}


def test_a_log_of_another_time_is_refused_unless_aligned(tmp_path: Path) -> None:
    text = licensed(1000, "TEST001", 5) + licensed(1005, "TEST001", 5)
    with pytest.raises(InputError, match=r"places\.csv: no position at any time .* --align"):
        trace(tmp_path, text)
    found = trace(tmp_path, text, align=True)
    assert [(s.time_us, s.lat) for s in found.samples] == [(1000 * S, 0.0), (1005 * S, 0.05)]


def test_a_position_holds_a_second_beyond_its_trace_and_no_longer(tmp_path: Path) -> None:
    tally = Tally()
    found = trace(tmp_path, licensed(20.9, "TEST001", 5) + licensed(22, "TEST001", 5), tally=tally)
    assert [sample.lat for sample in found.samples] == [0.2]
    assert tally.skipped == {"no_position": 1}


def test_a_place_that_never_moves_is_enough(tmp_path: Path) -> None:
    still = Trace([Sample(5 * S, "x", 1.0, 2.0, 0)], Sampling.LINEAR)
    places = Positions(still, "places.csv", Tally())
    (sample,) = trace(tmp_path, licensed(5.5, "TEST001", 5), places).samples
    assert (sample.lat, sample.lon) == (1.0, 2.0)


def test_a_lone_reading_that_no_vehicle_can_have_is_counted(tmp_path: Path) -> None:
    tally = Tally()
    raws = [600, 600, 241, 601, 601, 602]
    text = "".join(mph(1 + n / 100, raw) for n, raw in enumerate(raws))
    text += "".join(mph(2.5 + n / 100, raw) for n, raw in enumerate([602, 602, 3000]))
    text += mph(3.6, 700) + mph(3.7, 701)
    found = trace(tmp_path, text, tally=tally, dbc=True)
    assert tally.skipped["implausible"] == 2
    assert [round(s.speed_kmh / 1.609344 * 20) + 500 for s in found.samples] == [602, 602, 701]
    assert "-12.9" not in str(found.samples)


def test_hard_braking_is_plausible(tmp_path: Path) -> None:
    tally = Tally()
    text = "".join(mph(1 + n / 10, 2000 - 30 * n) for n in range(30))
    trace(tmp_path, text, tally=tally, dbc=True)
    assert tally.skipped["implausible"] == 0
