"""Slices: long work yields to the event loop in between."""

import asyncio
import time
from collections import deque
from typing import Final

from eventservices.per_loop import PerLoop

SLICE_S: Final = 0.003
"""Longest that work goes on before others have their turn."""

PAUSE_S: Final = 0.0005
"""A pause between two pieces of work in which others had their turn."""


class Slice:
    """Bounds how long pieces of work that come one after the other keep the loop.

    `turn` is awaited before each piece, and `end` called after it. Many tasks may share one: what
    they do between two turns of the loop is bounded together. Those for which no time is left wait
    in a queue, and each turn of the loop begins with the first of it: a task that always has more
    to do blocks no other.
    """

    def __init__(self) -> None:
        self._began_s = 0.0
        self._ended_s = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._armed = False
        self._turned = True  # whether others had their turn since the slice began

    async def turn(self) -> None:
        """Yield to others, where it is time."""
        now_s = time.perf_counter()
        if self._turned and now_s - self._ended_s > PAUSE_S and not self._waiting:
            self._begin(now_s)
            return
        if now_s - self._began_s <= SLICE_S:
            return
        mine = asyncio.get_running_loop().create_future()
        self._waiting.append(mine)
        self._arm()
        try:
            await mine
        finally:
            self._arm()  # for the next one; also where this one was cancelled
        self._begin(time.perf_counter())

    def end(self) -> None:
        """Note that a piece of work has ended."""
        self._ended_s = time.perf_counter()

    def _begin(self, now_s: float) -> None:
        self._began_s, self._turned = now_s, False
        asyncio.get_running_loop().call_soon(self._others_had_a_turn)

    def _others_had_a_turn(self) -> None:
        self._turned = True

    def _arm(self) -> None:
        if self._waiting and not self._armed:
            self._armed = True
            asyncio.get_running_loop().call_soon(self._wake)

    def _wake(self) -> None:
        """Begin with the first that waits."""
        self._armed = False
        while self._waiting:
            first = self._waiting.popleft()
            if not first.done():
                first.set_result(None)
                return


shared_slice: Final = PerLoop(Slice)
"""Returns the slice that all long work of the running loop shares."""
