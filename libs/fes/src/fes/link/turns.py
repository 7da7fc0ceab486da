"""Turns: the work of many in one process runs in slices that never block the event loop."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Final
from weakref import WeakKeyDictionary

SLICE_S: Final = 0.003
"""Longest duration of one slice, but for the piece of work that is under way then."""

Work = Callable[[], bool]
"""Does some of the work; returns whether there is more."""


class Turns:
    """Runs pieces of work in turns.

    Attributes:
        slices: How often it yielded to the loop with work left.
    """

    def __init__(self) -> None:
        self.slices = 0
        self._waiting: deque[Work] = deque()
        self._scheduled = False

    def put(self, work: Work) -> None:
        """Queue some work after all that waits already."""
        self._waiting.append(work)
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._run)

    def _run(self) -> None:
        end_s = time.perf_counter() + SLICE_S
        waiting = self._waiting
        while waiting:
            work = waiting.popleft()
            if work():
                waiting.append(work)
            if time.perf_counter() >= end_s:
                break
        self._scheduled = bool(waiting)
        if self._scheduled:
            self.slices += 1
            asyncio.get_running_loop().call_soon(self._run)


_of_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, Turns] = WeakKeyDictionary()


def turns() -> Turns:
    """Return the turns of the running event loop."""
    loop = asyncio.get_running_loop()
    found = _of_loop.get(loop)
    if found is None:
        found = _of_loop[loop] = Turns()
    return found
