from pathlib import Path

import pytest
from can_sim.errors import InputError
from can_sim.monitors import Monitor, read
from can_sim.tally import Tally


def monitors(folder: Path, text: str, tally: Tally | None = None) -> list[Monitor]:
    path = folder / "places.csv"
    path.write_text(text, "utf-8")
    return read(path, tally or Tally())


def test_the_own_form_is_read(tmp_path: Path) -> None:
    found = monitors(tmp_path, "monitor,lat,lon,radius_m,limit_kmh\nM1,50.1,8.2,200,70\n")
    assert found == [Monitor("M1", 50.1, 8.2, 200.0, 70.0)]


def test_stops_are_monitors_with_x_for_longitude_and_defaults(tmp_path: Path) -> None:
    found = monitors(tmp_path, "fid,stop_id,stop_name,x,y\n1,84B,High Street,-8.6,52.6\n")
    assert found == [Monitor("84B", 52.6, -8.6, 150.0, 30.0)]


def test_names_become_identifiers(tmp_path: Path) -> None:
    found = monitors(tmp_path, "stop_name,x,y\nHigh Street,1,2\nHigh/Street,1,2\n")
    assert [monitor.name for monitor in found] == ["High_Street", "High_Street-2"]


def test_a_name_that_is_there_twice_is_a_bad_row(tmp_path: Path) -> None:
    tally = Tally()
    assert len(monitors(tmp_path, "name,x,y\nA,1,2\nA,3,4\n", tally)) == 1
    assert tally.skipped == {"bad_row": 1}
    assert "places.csv:3: column name: 'A' is there twice" in tally.notes[0]


@pytest.mark.parametrize(("row", "column"), [("A,1,2,0,70", "radius_m"), ("A,1,2,9,-1", "limit")])
def test_radius_and_limit_have_a_range(tmp_path: Path, row: str, column: str) -> None:
    with pytest.raises(InputError, match=f"column {column}: .* out of range"):
        read_strictly(tmp_path, f"monitor,lat,lon,radius_m,limit\n{row}\n")


def test_a_file_without_monitors_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="names no monitor"):
        monitors(tmp_path, "monitor,lat,lon\n")


def read_strictly(folder: Path, text: str) -> None:
    monitors(folder, text, Tally(strict=True))
