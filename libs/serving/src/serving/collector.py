"""Keeps the pauses of the garbage collector short, however much a process keeps.

A full collection visits every object: with 100 gateways in a process it stops everything for a
tenth of a second. Here the oldest generation is collected as soon as a little of it is new, however
fast that is made, and what survives is set aside (`gc.freeze`) and not visited again. So a pause
depends on what is new, and each object is visited three times. A cycle of objects that becomes
garbage later is freed once the process has grown to twice its size, or to eight times where it
keeps many objects: then all objects are visited, in one long pause.
"""

import asyncio
import gc
import logging
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

log = logging.getLogger(__name__)

YOUNG: Final = 700
MIDDLE: Final = 10
OLD: Final = 1
"""New objects before the youngest generation is collected, and collections of each generation
before the next one is: the oldest has some 15 thousand objects then."""

GROWTH: Final = 2
"""Growth of its blocks of memory from which a process visits all that it keeps."""

MANY: Final = 500_000
MOST_GROWTH: Final = 8
"""A process that keeps more blocks than this does so from this growth on: to visit all of them
lasts longer than a turn of the loop may. An object has some three blocks; to count the objects
themselves lasts as long as to visit them."""


class Collector:
    """Runs the garbage collector in short pauses.

    Attributes:
        wholes: Number of full collections.
        longest_s: The longest pause for new objects, seconds.
    """

    def __init__(self) -> None:
        self.wholes = 0
        self.longest_s = 0.0
        self._blocks = 0
        self._begun_s = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None

    def settle(self) -> None:
        """Set aside the objects made so far.

        Call it before the loop runs, since it blocks for a while.
        """
        gc.set_threshold(YOUNG, MIDDLE, OLD)
        gc.collect()
        gc.freeze()
        gc.collect()  # nothing, or the next would wait for a quarter as much as the first found

    def start(self) -> None:
        """Set aside what survives a collection while the running loop runs; idempotent."""
        self.stop()
        self._loop = asyncio.get_running_loop()
        gc.callbacks.append(self._collected)

    def stop(self) -> None:
        """Set nothing aside any more; idempotent."""
        if self._loop is not None:
            gc.callbacks.remove(self._collected)
            self._loop = None

    def accept_growth(self) -> None:
        """Measure growth from now on: what was made before is needed."""
        self._blocks = sys.getallocatedblocks()

    def _collected(self, phase: str, info: Mapping[str, int]) -> None:
        if info["generation"] < 2:
            return
        if phase == "start":
            self._begun_s = time.thread_time()
            return
        gc.freeze()
        self.longest_s = max(self.longest_s, time.thread_time() - self._begun_s)
        if self._has_grown() and self._loop is not None:
            self.accept_growth()  # so that it is looked at once
            self._loop.call_soon_threadsafe(self._look_at_all)

    def _has_grown(self) -> bool:
        if not self._blocks:
            return False
        growth = sys.getallocatedblocks() / self._blocks
        return growth > (MOST_GROWTH if self._blocks > MANY else GROWTH)

    def _look_at_all(self) -> None:
        begun_s = time.monotonic()
        longest_s = self.longest_s
        gc.unfreeze()
        self.settle()
        self.accept_growth()
        self.longest_s = longest_s
        self.wholes += 1
        took_ms = round(1000 * (time.monotonic() - begun_s))
        log.info("garbage_collected", extra={"blocks": self._blocks, "took_ms": took_ms})


@contextmanager
def collecting() -> Iterator[Collector]:
    """Start a collector in the running loop, and stop it at the end."""
    collector = Collector()
    collector.start()
    try:
        yield collector
    finally:
        collector.stop()
