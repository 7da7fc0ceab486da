"""Short pauses of the garbage collector, however much a process keeps.

A whole collection looks at every object: with 100 gateways in a process it stops everything for a
tenth of a second. Here the oldest generation is looked at whenever a little of it is new, and what
survives is set aside (`gc.freeze`) and not looked at again. So a pause depends on what is new, and
each object is looked at three times. A cycle of objects that becomes garbage later is freed where
the process has grown to twice its size, or to eight times where it keeps many objects: then all is
looked at, in one long pause.
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
"""Objects that are made before the youngest are looked at, and how often before the next are."""

NEVER: Final = 1_000_000_000
"""So that the oldest are looked at by `Collector` only."""

LOOKS: Final = 2
"""Collections of the middle generation before the oldest is looked at: each leaves it at most
`YOUNG` times (`MIDDLE` + 1) objects, so that it has some ten thousand then."""

LOOK_S: Final = 0.5
GROWTH: Final = 2
"""From how many times its blocks of memory on a process looks at all that it keeps."""

MANY: Final = 150_000
MOST_GROWTH: Final = 8
"""A process that keeps more objects than these does so from this many times on: a look at all of
them lasts longer than a turn of the loop may."""


class Collector:
    """Has the garbage collector work in short pauses.

    Attributes:
        wholes: Times that all was looked at.
        longest_s: The longest pause of `look` that looked at what is new, seconds.
    """

    def __init__(self) -> None:
        self.wholes = 0
        self.longest_s = 0.0
        self._seen = 0
        self._blocks = 0
        self._timer: asyncio.TimerHandle | None = None

    def settle(self) -> None:
        """Set aside what was made so far; before the loop runs, as it takes a while."""
        gc.set_threshold(YOUNG, MIDDLE, NEVER)
        gc.collect()
        gc.freeze()
        self._seen, self._blocks = _middle_collections(), sys.getallocatedblocks()

    def start(self) -> None:
        """Look at what is new from time to time, in the loop that runs; idempotent."""
        self.stop()
        self._timer = asyncio.get_running_loop().call_later(LOOK_S, self._look_later)

    def stop(self) -> None:
        """Look at nothing any more; idempotent."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def look(self) -> None:
        """Look at what is new, where there is enough of it."""
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
