"""Programs run one after the other; a Ctrl-C reaches the one that runs, and ends the rest."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Self

from serving.children import started
from serving.output import CLOSED, is_closed

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
        self._stays = False

    def __enter__(self) -> Self:
        """Accept the signals that end a program; under `nohup`, SIGHUP is none."""
        self._stays = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        numbers = [each for each in _SIGNALS if each is not signal.SIGHUP or not self._stays]
        self._before = {number: signal.signal(number, self._interrupt) for number in numbers}
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
        """Run a program to its end, or end it once nobody reads standard output any more.

        Args:
            command: Program and arguments.
            look: Called now and then while it runs.

        Returns:
            Its exit status, negative for a signal; `CLOSED` where it was ended since nobody reads;
            `INTERRUPTED` where it was not begun because a signal had come.
        """
        if self._signalled.is_set():
            return INTERRUPTED
        with started(command) as process:
            self._running = process
            if self._signalled.is_set():  # between the question above and now
                process.terminate()
            try:
                return self._wait(process, look)
            finally:
                self._running = None

    def _wait(self, process: subprocess.Popen[bytes], look: Callable[[], None]) -> int:
        unread = False
        while True:
            try:
                status = process.wait(LOOK_S)
            except subprocess.TimeoutExpired:
                look()
            else:
                return CLOSED if unread else status
            if not unread and not self._stays and is_closed(sys.stdout):
                unread = True
                process.terminate()

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        self._signalled.set()
        if self._running is not None:
            self._running.terminate()
