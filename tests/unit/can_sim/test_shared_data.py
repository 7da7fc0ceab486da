from pathlib import Path

import pytest
from can_sim.canlog.reader import read_frames
from can_sim.plan import plan
from can_sim.settings import read as read_settings
from can_sim.tally import Tally

DATA = Path(__file__).parents[4] / "shared" / "data"
BUS = "gps/limerick_bus_304/304_to_UL_2019-02-18_0745.gpx"

pytestmark = pytest.mark.skipif(not DATA.exists(), reason="the recorded data is not here")


def rates(log: str, dbc: str = "") -> list[float]:
    arguments = ["plan", "--out", "x", "--trace", str(DATA / log), "--positions", str(DATA / BUS)]
    arguments += ["--dbc", str(DATA / dbc)] if dbc else []
    return [sample.speed_kmh for sample in plan(read_settings(arguments, {}), Tally()).samples]


def test_the_bus_drives_the_same_in_three_layouts() -> None:
    own = rates("can/fes/bus304_id12345_ext.candump.log")
    tesla = rates("can/fes/bus304_tesla_di_torque2.candump.log", "can/dbc/opendbc/tesla_can.dbc")
    kona = rates(
        "can/fes/bus304_hyundai_whl_spd11.candump.log", "can/kona/hyundai_kona_ORIGINAL.dbc"
    )
    assert len(own) == 2144
    assert tesla == pytest.approx(own, abs=0.6)
    assert kona == pytest.approx(own, abs=0.6)


def test_the_odd_lines_are_read_as_is_right() -> None:
    tally = Tally()
    frames = list(read_frames(DATA / "can/odd/odd_lines.candump.log", tally))
    assert tally.skipped == {"broken_line": 4, "short_fraction": 1}
    assert len(frames) == 36 - 4 - 2


def test_a_log_with_tails_has_four_frames_d01() -> None:
    tally = Tally(strict=True)
    assert len(list(read_frames(DATA / "can/pythoncan_LGPL3/issue_1299.asc", tally))) == 4


@pytest.mark.parametrize("path", sorted((DATA / "can/pythoncan_LGPL3").glob("*.asc*")), ids=str)
def test_every_asc_log_is_read_without_a_broken_line(path: Path) -> None:
    assert list(read_frames(path, Tally(strict=True)))
