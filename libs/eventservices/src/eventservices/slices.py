"""Slices: long work gives the event loop back in between."""

import asyncio
import time
from typing import Final

SLICE_S: Final = 0.005
"""Longest that work goes on before others have their turn."""

PAUSE_S: Final = 0.0005
"""A pause between two pieces of work in which others had their turn."""


class Slice:
    """Bounds how long pieces of work that come one after the other keep the loop.

    `turn` is awaited before each piece, and `end` called after it.
    """

    def __init__(self) -> None:
        self._began_s = 0.0
        self._ended_s = 0.0

    async def turn(self) -> None:
        """Have the others have their turn, where it is time."""
        now_s = time.perf_counter()
        if now_s - self._ended_s > PAUSE_S:
            self._began_s = now_s
        elif now_s - self._began_s > SLICE_S:
            await asyncio.sleep(0)
            self._began_s = time.perf_counter()

    def end(self) -> None:
        """Note that a piece of work has ended."""
        self._ended_s = time.perf_counter()
