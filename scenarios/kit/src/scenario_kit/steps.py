"""Programs run one after the other; a Ctrl-C reaches the one that runs, and ends the rest."""

import signal
import subprocess
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

from serving.children import started

from scenario_kit.programs import Command
from scenario_kit.statuses import INTERRUPTED

LOOK_S = 0.5
"""How often a program that runs is looked at."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Steps:
    """Runs programs, each in a session of its own, so that a signal comes once and from here.

    To be entered in the main thread.
    """

    def __init__(self) -> None:
        self._signalled = threading.Event()
        self._running: subprocess.Popen[bytes] | None = None
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        """Accept the signals that end a program."""
        self._before = {number: signal.signal(number, self._interrupt) for number in _SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the signal handlers."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @property
    def interrupted(self) -> bool:
        """Whether a signal came."""
        return self._signalled.is_set()

    def run(self, command: Command, look: Callable[[], None] = lambda: None) -> int:
        """Run a program to its end.

        Args:
            command: Program and arguments.
            look: Called now and then while it runs.

        Returns:
            Its exit status, negative for a signal; `INTERRUPTED` where it was not begun because a
            signal had come.
        """
        if self._signalled.is_set():
            return INTERRUPTED
        with started(command) as process:
            self._running = process
            if self._signalled.is_set():  # between the question above and now
                process.terminate()
            try:
                return _wait(process, look)
            finally:
                self._running = None

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        self._signalled.set()
        if self._running is not None:
            self._running.terminate()


def _wait(process: subprocess.Popen[bytes], look: Callable[[], None]) -> int:
    while True:
        try:
            return process.wait(LOOK_S)
        except subprocess.TimeoutExpired:
            look()
