from pathlib import Path

import pytest
from can_sim.errors import InputError
from can_sim.monitors import Monitor
from can_sim.runfolder import (
    MONITORS,
    TRACE,
    Extent,
    Planned,
    read_trace,
    survey,
    write_monitors,
    write_trace,
)
from can_sim.sample import Sample

HEAD = "time_us,vehicle,licence,lat,lon,speed_kmh\n"


def test_the_trace_reads_as_it_was_written(tmp_path: Path) -> None:
    samples = [Sample(0, "a b", 50.123456789, -8.1, 0.1 + 0.2), Sample(5, "c", 1, 2, -3.5)]
    write_trace(
        tmp_path / "new", samples, {"a b": 'A"B, 12', "c": "C      "}, {"a b": "a_b", "c": "c"}
    )
    assert list(read_trace(tmp_path / "new")) == [
        Planned(0, "a_b", 'A"B, 12', 50.123456789, -8.1, 0.1 + 0.2),
        Planned(5, "c", "C      ", 1, 2, -3.5),
    ]
    assert (tmp_path / "new" / TRACE).read_text().startswith(HEAD)


def test_monitors_are_written_with_their_header(tmp_path: Path) -> None:
    write_monitors(tmp_path, [Monitor("M01", 50.5, 8.25, 150.0, 70.0)])
    text = (tmp_path / MONITORS).read_text("utf-8")
    assert text == "monitor,lat,lon,radius_m,limit_kmh\nM01,50.5,8.25,150.0,70.0\n"


def test_a_survey_tells_what_the_trace_spans(tmp_path: Path) -> None:
    rows = "3,b,TEST002,1,2,3\n4,a,TEST001,1,2,3\n9,b,TEST002,1,2,3\n"
    (tmp_path / TRACE).write_text(HEAD + rows)
    assert survey(tmp_path) == Extent(3, 9, ("b", "a"), 3)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ("", "holds no rows"),
        ("5,a,TEST001,1,2,3\n4,a,TEST001,1,2,3\n", ":3: column time_us: is earlier"),
        ("1.5,a,TEST001,1,2,3\n", ":2: column time_us: '1.5' is not a whole"),
        ("1,a,TEST1,1,2,3\n", ":2: column licence: 'TEST1' is not seven"),
        ("1,,TEST001,1,2,3\n", ":2: column vehicle: is empty"),
        ("1,a,TEST001,1,2,x\n", ":2: column speed_kmh: 'x' is not a number"),
    ],
)
def test_a_trace_that_is_not_valid_is_refused(tmp_path: Path, rows: str, reason: str) -> None:
    (tmp_path / TRACE).write_text(HEAD + rows)
    with pytest.raises(InputError, match=reason):
        survey(tmp_path)


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    (tmp_path / TRACE).write_text("time_us,vehicle,lat,lon,speed_kmh\n")
    with pytest.raises(InputError, match="column licence"):
        survey(tmp_path)
