"""Programs run one after the other; a Ctrl-C reaches the one that runs, and ends the rest."""

import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self

from serving.lifeline import LIFELINE

from scenario_kit.programs import Command
from scenario_kit.statuses import INTERRUPTED

STOP_S = 40.0
"""Longest wait for a program that was requested to end; `fes run` has its parts to end first."""

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


@contextmanager
def started(command: Command, **how: Any) -> "Iterator[subprocess.Popen[Any]]":
    """Start a program; it has ended when the block is left, by an error too.

    It ends with this process, however that ends.

    Args:
        command: Program and arguments.
        how: Further arguments of `subprocess.Popen`.
    """
    process = subprocess.Popen(  # noqa: S603 - our own
        command, start_new_session=True, env=LIFELINE.environment, **how
    )
    LIFELINE.add(process.pid)
    with process:
        try:
            yield process
        except BaseException:
            end(process)
            raise
    LIFELINE.remove(process.pid)


def end(process: "subprocess.Popen[Any]", within_s: float = STOP_S) -> None:
    """End a program by a signal, and kill it where it does not end in time."""
    process.terminate()
    try:
        process.wait(within_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _wait(process: subprocess.Popen[bytes], look: Callable[[], None]) -> int:
    while True:
        try:
            return process.wait(LOOK_S)
        except subprocess.TimeoutExpired:
            look()
