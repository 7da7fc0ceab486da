"""A shell command: its exit status, and errors reported in one line."""

import os
import sys
import traceback
from collections.abc import Callable
from typing import Final

from serving.ending import raised_signals
from serving.output import quiet_output
from serving.parent import end_with_parent

FAILED: Final = 2
INTERRUPTED: Final = 130

TRACE: Final = "FES_TRACEBACK"
"""Variable with which an unexpected error shows its traceback."""


def command(name: str, run: Callable[[], int]) -> int:
    """Run a command and return its exit status.

    A closed pipe ends it quietly with status 141, Ctrl-C with 130, SIGTERM with 143, SIGHUP with
    129 (all but the first through its `finally` clauses). It ends with the process that
    `FES_PARENT` names, as by SIGTERM.

    Args:
        name: Name of the command; printed before the line that reports an error.
        run: Does the work, and handles the errors that it knows.
    """
    with raised_signals(), quiet_output():
        end_with_parent()
        try:
            return run()
        except KeyboardInterrupt:
            return INTERRUPTED
        except Exception as error:  # noqa: BLE001 - a person reads this; the trace is on request
            if os.environ.get(TRACE):
                traceback.print_exc()
            sys.stderr.write(f"{name}: {told(error)}\n")
            return FAILED


def told(error: BaseException) -> str:
    """Return an error as one line for people: what happened, and where."""
    text = " ".join(str(error).split())
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename is not None else ""
        return f"{place}{error.strerror}" if error.strerror else (text or type(error).__name__)
    kind = type(error).__name__
    return f"unexpected {kind}: {text[:300]} ({TRACE}=1 shows where it comes from)"
