"""Slices: long work yields to the event loop in between."""

import asyncio
import time
from typing import Final

from eventservices.per_loop import PerLoop

SLICE_S: Final = 0.003
"""Longest that work goes on before others have their turn."""

PAUSE_S: Final = 0.0005
"""A pause between two pieces of work in which others had their turn."""


class Slice:
    """Bounds how long pieces of work that come one after the other keep the loop.

    `turn` is awaited before each piece, and `end` called after it. Many tasks may share one: what
    they do between two turns of the loop is bounded together.
    """

    def __init__(self) -> None:
        self._began_s = 0.0
        self._ended_s = 0.0
        self._armed = False
        self._turned = True  # whether others had their turn since the slice began
        self._free = False  # whether one piece may be done whatever the time: some always is

    async def turn(self) -> None:
        """Yield to others, where it is time."""
        now_s = time.perf_counter()
        if now_s - self._ended_s > PAUSE_S and self._turned and not self._armed:
            self._began_s, self._turned = now_s, False
            asyncio.get_running_loop().call_soon(setattr, self, "_turned", True)
            return
        while time.perf_counter() - self._began_s > SLICE_S and not self._free:
            if not self._armed:
                self._armed = True
                asyncio.get_running_loop().call_soon(self._begin)
            await asyncio.sleep(0)
        self._free = False

    def end(self) -> None:
        """Note that a piece of work has ended."""
        self._ended_s = time.perf_counter()

    def _begin(self) -> None:
        self._armed, self._free = False, True
        self._began_s, self._turned = time.perf_counter(), False
        asyncio.get_running_loop().call_soon(setattr, self, "_turned", True)


shared_slice: Final = PerLoop(Slice)
"""Returns the slice that all long work of the running loop shares."""
