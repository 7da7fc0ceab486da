"""Keeps the pauses of the garbage collector short, however much a process keeps.

A full collection visits every object: with 100 gateways in a process it stops everything for a
tenth of a second. Here the oldest generation is collected whenever a little of it is new, and what
survives is set aside (`gc.freeze`) and not visited again. So a pause depends on what is new, and
each object is visited three times. A cycle of objects that becomes garbage later is freed once the
process has grown to twice its size, or to eight times where it keeps many objects: then all objects
are visited, in one long pause.
"""

import asyncio
import gc
import logging
import sys
import time
from typing import Final

log = logging.getLogger(__name__)

YOUNG: Final = 700
MIDDLE: Final = 10
"""New objects before the youngest generation is collected, and collections before the next one
is."""

NEVER: Final = 1_000_000_000
"""A threshold with which only `Collector` collects the oldest generation."""

LOOKS: Final = 2
"""Collections of the middle generation before the oldest is collected: each adds at most `YOUNG`
times (`MIDDLE` + 1) objects to it, so that it has some ten thousand then."""

LOOK_S: Final = 0.5
GROWTH: Final = 2
"""Growth of its blocks of memory from which a process visits all that it keeps."""

MANY: Final = 150_000
MOST_GROWTH: Final = 8
"""A process that keeps more objects than this does so from this growth on: to visit all of them
lasts longer than a turn of the loop may."""


class Collector:
    """Runs the garbage collector in short pauses.

    Attributes:
        wholes: Number of full collections.
        longest_s: The longest pause of `look` for new objects, seconds.
    """

    def __init__(self) -> None:
        self.wholes = 0
        self.longest_s = 0.0
        self._seen = 0
        self._blocks = 0
        self._timer: asyncio.TimerHandle | None = None

    def settle(self) -> None:
        """Set aside the objects made so far.

        Call it before the loop runs, since it blocks for a while.
        """
        gc.set_threshold(YOUNG, MIDDLE, NEVER)
        gc.collect()
        gc.freeze()
        self._seen, self._blocks = _middle_collections(), sys.getallocatedblocks()

    def start(self) -> None:
        """Collect new objects periodically, in the running loop; idempotent."""
        self.stop()
        self._timer = asyncio.get_running_loop().call_later(LOOK_S, self._look_later)

    def stop(self) -> None:
        """Stop collecting; idempotent."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def look(self) -> None:
        """Collect new objects, where there are enough."""
        collected = _middle_collections()
        if collected - self._seen < LOOKS:
            return
        self._seen = collected
        if self._has_grown():
            self._look_at_all()
            return
        begun_s = time.thread_time()
        gc.collect()
        gc.freeze()
        self.longest_s = max(self.longest_s, time.thread_time() - begun_s)

    def _has_grown(self) -> bool:
        growth = sys.getallocatedblocks() / max(1, self._blocks)
        return growth > GROWTH and (growth > MOST_GROWTH or gc.get_freeze_count() <= MANY)

    def _look_at_all(self) -> None:
        begun_s = time.monotonic()
        gc.unfreeze()
        self.settle()
        self.wholes += 1
        took_ms = round(1000 * (time.monotonic() - begun_s))
        log.info("garbage_collected", extra={"blocks": self._blocks, "took_ms": took_ms})

    def _look_later(self) -> None:
        self.look()
        self.start()


def _middle_collections() -> int:
    return int(gc.get_stats()[1]["collections"])
