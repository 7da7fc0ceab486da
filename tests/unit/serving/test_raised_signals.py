"""A command without a loop cleans up when a signal ends it, however many follow."""

import subprocess
import sys

import pytest

COMMAND = """
import os, signal, sys
from serving.command import command

def run():
    try:
        os.kill(os.getpid(), signal.{first})
    finally:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            os.kill(os.getpid(), number)
        print("cleaned up")

sys.exit(command("test", run))
"""


@pytest.mark.parametrize(("first", "status"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_signals_that_follow_the_first_do_not_interrupt_the_cleaning_up(
    first: str, status: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", COMMAND.format(first=first)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("cleaned up\n", "", status)
