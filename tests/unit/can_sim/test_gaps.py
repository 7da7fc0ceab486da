"""Traces with gaps, dates of another time, and more of them than a run can have."""

import json
from pathlib import Path
from typing import Any

import pytest
from can_sim.__main__ import main

WEEK_S = 7 * 86_400
START_S = 1_772_359_200
HEAD = "time_s,vehicle,lat,lon,speed_kmh\n"


def planned(
    folder: Path, capsys: pytest.CaptureFixture[str], text: str, *arguments: str
) -> dict[str, Any]:
    path = folder / "fleet.csv"
    path.write_text(text)
    status = main(["plan", "--out", str(folder / "run"), "--trace", str(path), *arguments])
    told = capsys.readouterr()
    assert status == 0, told.err
    summary: dict[str, Any] = json.loads(told.out)
    return summary


def refused(folder: Path, capsys: pytest.CaptureFixture[str], text: str, *arguments: str) -> str:
    path = folder / "fleet.csv"
    path.write_text(text)
    assert main(["plan", "--out", str(folder / "run"), "--trace", str(path), *arguments]) == 2
    return capsys.readouterr().err


def drive(*seconds: int, vehicle: str = "bus") -> str:
    return "".join(f"{s},{vehicle},51.{n:04d},7.4,30\n" for n, s in enumerate(seconds))


@pytest.mark.parametrize("weeks", [1024, 2048])
def test_points_dated_before_the_week_rolled_over_are_read_later_p07(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], weeks: int
) -> None:
    early = [START_S - weeks * WEEK_S + n for n in range(2)]
    text = HEAD + drive(*early, *range(START_S + 2, START_S + 30))
    summary = planned(tmp_path, capsys, text)
    assert (summary["samples"], summary["start_us"]) == (30, START_S * 1_000_000)
    assert summary["noticed"] == {"week_rollover": 2}
    assert f"fleet.csv:4: vehicle bus: the points before this one are dated {weeks}" in str(
        summary["notes"]
    )
    assert "fleet.csv:4: " in refused(tmp_path, capsys, text, "--strict")


@pytest.mark.parametrize(
    ("gap_s", "told"),
    [(3601, "1 h 0 min"), (40 * 3600, "40 h 0 min"), (7000 * 86_400, "7000 days")],
)
def test_a_long_gap_is_told_with_its_line_and_not_driven_through_p07(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], gap_s: int, told: str
) -> None:
    text = HEAD + drive(*range(10), *range(9 + gap_s, 19 + gap_s))
    summary = planned(tmp_path, capsys, text)
    assert summary["samples"] == 20
    assert summary["noticed"] == {"gap": 1}
    assert f"fleet.csv:12: vehicle bus: {told} without a point" in summary["notes"][0]


def test_an_hour_is_filled_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = planned(tmp_path, capsys, HEAD + drive(0, 3600))
    assert (summary["samples"], summary["noticed"]) == (3601, {})


def test_a_trace_is_cut_before_it_is_filled_in_p07(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hours = [n * 3600 for n in range(2000)]
    text = HEAD + drive(*hours) + drive(*hours, vehicle="tram")
    told = refused(tmp_path, capsys, text)
    assert "14392802 samples at one a second, more than 5000000" in told
    assert "--duration or --vehicles" in told
    assert planned(tmp_path, capsys, text, "--duration", "60")["samples"] == 120
    cut = planned(tmp_path, capsys, text, "--duration", "60", "--vehicles", "1")
    assert (cut["samples"], cut["vehicles"]) == (60, 1)


def test_a_cut_keeps_what_is_filled_in_up_to_its_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = planned(tmp_path, capsys, HEAD + drive(0, 10, 20))
    rows = (tmp_path / "run" / "trace.csv").read_text().splitlines()
    cut = planned(tmp_path, capsys, HEAD + drive(0, 10, 20), "--duration", "15")
    assert (whole["samples"], cut["samples"]) == (21, 15)
    assert (tmp_path / "run" / "trace.csv").read_text().splitlines() == rows[:16]


def test_too_many_monitors_are_refused_with_those_to_keep_p01(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stops = tmp_path / "stops.txt"
    rows = "".join(f"S{n},{40 + n / 200},7.4\n" for n in range(3000))
    stops.write_text("stop_id,stop_lat,stop_lon\n" + rows)
    text = HEAD + drive(*range(5))
    told = refused(tmp_path, capsys, text, "--monitors", str(stops))
    assert "names 3000 monitors, more than 1000 that a run can have" in told
    assert "keep those that the trace passes, 1: S2200" in told
