"""Turns of the event loop that kept everything else waiting, noted while tests run.

A turn is one callback, or one step of a task. What counts is the time on the clock less what the
machine withheld: a turn that computed for `CPU_S`, or that slept or waited in a blocking call for
`WALL_S` with nearly no processor time. The second is read on a busy machine with care: a process
that other processes push aside looks the same. So both are reported at the end of a run
(`FES_BLOCKING=1`), and fail no test.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from unittest.mock import patch

CPU_S: Final = 0.05
WALL_S: Final = 0.5
KEPT: Final = 1000
"""Most turns that are kept of one run; what comes later is counted."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One long turn.

    Attributes:
        what: The callback, or the task's coroutine.
        wall_s: On the clock, seconds.
        cpu_s: Processor time of the thread, seconds.
    """

    what: str
    wall_s: float
    cpu_s: float


@dataclass(slots=True)
class Found:
    """The long turns of a run.

    Attributes:
        turns: In their order.
        more: Turns beyond those that are kept.
    """

    turns: list[Turn] = field(default_factory=list)
    more: int = 0

    def add(self, turn: Turn) -> None:
        """Keep a turn, or count it."""
        if len(self.turns) < KEPT:
            self.turns.append(turn)
        else:
            self.more += 1


@contextmanager
def watching(found: Found) -> Iterator[None]:
    """Measure every turn of every loop of this process."""
    run: Callable[[Any], None] = asyncio.Handle._run

    def measured(handle: Any) -> None:
        code = _code_of(handle)
        began_s, cpu_s = time.perf_counter(), time.thread_time()
        try:
            run(handle)
        finally:
            wall_s, used_s = time.perf_counter() - began_s, time.thread_time() - cpu_s
            if used_s >= CPU_S or wall_s - used_s >= WALL_S:
                name = getattr(code, "__qualname__", None) or repr(code)
                found.add(Turn(name, wall_s, used_s))

    with patch.object(asyncio.Handle, "_run", measured):
        yield


def _code_of(handle: Any) -> Any:
    """Return what a turn runs; a task forgets its coroutine when it ends."""
    callback = handle._callback
    task = getattr(callback, "__self__", None)
    return task.get_coro() if isinstance(task, asyncio.Task) else callback
