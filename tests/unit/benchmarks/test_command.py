"""What the benchmarks' command line says is read before anything is measured."""

import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).parents[3] / "benchmarks/run.py"


@pytest.mark.parametrize(
    ("argument", "status", "told"),
    [("--help", 0, "--seconds"), ("--secnds=3", 2, "unrecognized"), ("--seconds=x", 2, "invalid")],
)
def test_help_and_a_bad_option_run_no_benchmark(
    tmp_path: Path, argument: str, status: int, told: str
) -> None:
    command = [sys.executable, str(RUN), argument]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert told in done.stdout + done.stderr
    assert "event" not in done.stdout  # the header of a table of results
    assert not [*tmp_path.iterdir()]
