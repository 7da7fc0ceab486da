"""What a judgement leaves in the run folder, and how the command ends."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from support.judge.runs import read_lines

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]


def _verify(run: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "analytics", "verify", str(run), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_writes_the_verdict_the_offenders_and_the_report(copied: Path) -> None:
    ended = _verify(copied)

    verdict = json.loads((copied / "verdict.json").read_text(encoding="utf-8"))
    page = (copied / "report.html").read_text(encoding="utf-8")
    with (copied / "offenders.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert ended.returncode == 0, ended.stderr
    assert "verdict: pass" in ended.stdout
    assert verdict["verdict"] == "pass"
    assert len(verdict["promises"]) == 10
    assert verdict["hops"][-1]["count"] == verdict["reports"]["received"]
    assert 4 < verdict["latency_ms"]["p50"] < 6
    assert rows == _expected_rows(copied)
    assert "</svg>" in page
    assert not list(copied.glob("*.part"))


def _expected_rows(run: Path) -> list[dict[str, str]]:
    names = {line["licence"]: line["vehicle"] for line in read_lines(run / "ground_truth.jsonl")}
    rows = [
        (line["time_us"] / 1e6, names[line["vehicle"]], line["monitor"], line["rate"])
        for line in read_lines(run / "offenders.jsonl")
    ]
    return [
        {"monitor": monitor, "vehicle": vehicle, "time": str(time), "rate": str(rate)}
        for time, vehicle, monitor, rate in sorted(rows)
    ]


def test_an_input_that_cannot_be_judged_ends_with_2_and_one_line_that_names_it(
    copied: Path,
) -> None:
    path = copied / "federation.yaml"
    text = path.read_text(encoding="utf-8").replace("range_m: 300", "range_m: far", 1)
    path.write_text(text, encoding="utf-8")
    line = text[: text.index("range_m: far")].count("\n") + 1

    ended = _verify(copied, "--no-html")

    assert ended.returncode == 2
    assert ended.stderr == f"{path}:{line}: range_m is not a number\n"
