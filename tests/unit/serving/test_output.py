"""Commands whose standard streams are closed, or cannot be written."""

import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = """
import sys
from pathlib import Path
from serving.command import command

def run():
    with Path(sys.argv[1]).open("w") as file:
        print("told")
        print("complained", file=sys.stderr)
        file.write("content")
    return 3

sys.exit(command("it", run))
"""
SERVICE = """
import sys
from serving.service import run_service

async def serve():
    sys.stdout.write("ready")
    raise ValueError("bad input")

sys.exit(run_service("it", serve(), (ValueError,)))
"""


def status(code: str, redirection: str, *arguments: str) -> tuple[int, str]:
    shell = ("sh", "-c", f'exec "$0" -c "$@" {redirection}', sys.executable, code, *arguments)
    done = subprocess.run(shell, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_a_command_whose_streams_are_closed_does_its_work(tmp_path: Path, closed: str) -> None:
    number, complaints = status(COMMAND, closed, str(tmp_path / "file"))
    assert number == 3
    assert (tmp_path / "file").read_text() == "content"
    assert complaints == ("" if "2>&-" in closed else "complained\n")


def test_a_service_whose_output_is_closed_reports_its_fault() -> None:
    assert status(SERVICE, ">&-") == (2, "it: bad input\n")


def test_an_output_that_is_full_is_named(tmp_path: Path) -> None:
    number, complaints = status(COMMAND, ">/dev/full", str(tmp_path / "file"))
    assert number == 2
    assert complaints.endswith("it: standard output: No space left on device\n")
