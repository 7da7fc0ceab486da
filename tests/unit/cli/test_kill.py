"""A part is ended on purpose, and the judge is told."""

import io
import json
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path

import pytest
from fes.cli.kill import kill
from fes.errors import FesError


@pytest.fixture
def part(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the run, which does nothing."""
    words = (sys.executable, "-c", "import time; time.sleep(60)", str(tmp_path))
    with subprocess.Popen(words) as process:
        while not Path(f"/proc/{process.pid}/cmdline").read_bytes():
            pass  # the kernel shows it a moment after the process was made
        endpoints = {"gateways": {"g1": {"pid": process.pid}}, "processes": {"pack": process.pid}}
        (tmp_path / "endpoints.json").write_text(json.dumps(endpoints))
        yield process
        process.kill()


def options(run: Path, part: str, number: str = "KILL") -> Namespace:
    return Namespace(run=run, part=part, signal=number)


@pytest.mark.parametrize("name", ["g1", "pack"])
@pytest.mark.parametrize(("word", "number"), [("KILL", 9), ("TERM", 15)])
def test_a_part_ends_and_the_judge_is_told_that_it_was_on_purpose(
    tmp_path: Path, part: subprocess.Popen[bytes], name: str, word: str, number: int
) -> None:
    assert kill(options(tmp_path, name, word), io.StringIO()) == 0
    assert part.wait(10) == -number
    line = json.loads((tmp_path / "outages.jsonl").read_text())
    assert (line["part"], line["by"], line["cause"]) == (name, "operator", f"signal {number}")
    assert line["from_us"] == line["to_us"]


def test_a_part_that_is_not_there_is_refused_with_those_that_are(
    tmp_path: Path, part: subprocess.Popen[bytes]
) -> None:
    with pytest.raises(FesError, match="g9: is not a part of this run; there are: g1, pack"):
        kill(options(tmp_path, "g9"), io.StringIO())
    assert part.poll() is None


def test_a_process_of_something_else_is_left_alone(
    tmp_path: Path, part: subprocess.Popen[bytes]
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "endpoints.json").write_text((tmp_path / "endpoints.json").read_text())
    with pytest.raises(FesError, match="is not there any more"):
        kill(options(other, "g1"), io.StringIO())
    assert part.poll() is None


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FesError, match="no federation runs there"):
        kill(options(tmp_path, "g1"), io.StringIO())
