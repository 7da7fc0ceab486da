"""Requests to a process to end: by a signal, or since nobody reads its output any more."""

import asyncio
import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from types import FrameType
from typing import Any, Final, NoReturn, TypeVar

from serving.output import OutputClosedError, is_closed

Result = TypeVar("Result")

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, a supervisor or a shell, and a terminal that is closed."""

LOOK_S: Final = 0.5
"""Time between two checks whether standard output is still read."""


def on_ending(tell: Callable[[signal.Signals], object]) -> None:
    """Make the running loop report each request to end.

    Under `nohup`, which ignores SIGHUP, neither SIGHUP nor a closed output is one.

    Args:
        tell: Called in the loop with the signal; with SIGPIPE, once, where nobody reads standard
            output any more.
    """
    loop = asyncio.get_running_loop()
    stays = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    for number in SIGNALS:
        if number is not signal.SIGHUP or not stays:
            loop.add_signal_handler(number, tell, number)
    if not stays:
        _look_at_output(loop, tell)


def ending_event() -> asyncio.Event:
    """Return an event that is set once the process is requested to end; for a running loop."""
    asked = asyncio.Event()
    on_ending(lambda _: asked.set())
    return asked


async def until_asked(work: Coroutine[Any, Any, None]) -> signal.Signals | None:
    """Run work until it is done, or cancel it when the process is requested to end.

    Args:
        work: It is cancelled once, however often the process is requested to end.

    Returns:
        The signal that requested the end, as `on_ending` reports it; None where the work is done.
    """
    asked: list[signal.Signals] = []
    with contextlib.suppress(asyncio.CancelledError):
        await _cancelled_when_asked(work, asked)
    return asked[0] if asked else None


def run_until_asked(work: Coroutine[Any, Any, Result]) -> Result:
    """Run work in a loop of its own, or cancel it when the process is requested to end.

    Args:
        work: It is cancelled once, however often the process is requested to end.

    Returns:
        What the work returns.

    Raises:
        KeyboardInterrupt: Ctrl-C ended it.
        OutputClosedError: Nobody reads standard output any more.
        SystemExit: Another signal ended it; the status is 128 and its number.
    """
    asked: list[signal.Signals] = []
    before = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        result = asyncio.run(_cancelled_when_asked(work, asked))
    except asyncio.CancelledError:
        if not asked:
            raise
    finally:
        for number, handler in before.items():  # a loop that closes leaves the system's
            signal.signal(number, handler)
    if not asked:  # it may also come while the loop is being closed
        return result
    if asked[0] is signal.SIGINT:
        raise KeyboardInterrupt
    if asked[0] is signal.SIGPIPE:
        raise OutputClosedError
    raise SystemExit(128 + asked[0])


async def _cancelled_when_asked(
    work: Coroutine[Any, Any, Result], asked: list[signal.Signals]
) -> Result:
    task = asyncio.ensure_future(work)

    def end(number: signal.Signals) -> None:
        asked.append(number)
        if len(asked) == 1:
            task.cancel()

    on_ending(end)
    return await task


def _look_at_output(
    loop: asyncio.AbstractEventLoop, tell: Callable[[signal.Signals], object]
) -> None:
    if is_closed(sys.stdout):
        tell(signal.SIGPIPE)
    else:
        loop.call_later(LOOK_S, _look_at_output, loop, tell)


@contextlib.contextmanager
def raised_signals() -> Iterator[None]:
    """Make SIGTERM and SIGHUP raise SystemExit, so that a command without a loop cleans up.

    Python does so for SIGINT, with KeyboardInterrupt. Signals that follow the first do not
    interrupt the cleaning up. A signal that is ignored stays so; outside the main thread nothing
    changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    usual = (signal.SIG_DFL, signal.default_int_handler)

    def end(number: int, _frame: FrameType | None) -> NoReturn:
        for each, handler in before.items():
            if handler in usual:
                signal.signal(each, _ignore)
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if before[number] is signal.SIG_DFL:
            signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """Do nothing; children have the usual handlers, which they would not with SIG_IGN."""
