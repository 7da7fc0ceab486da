"""Whether a client could receive the others lately: only then does their silence mean anything.

A loop that halts receives nobody. What a process spent so, or waited for its turn on a machine
that was busy, is not the others' silence.
"""

import asyncio
import time
from collections.abc import Awaitable
from typing import Final, TypeVar

from eventservices.ending import ended

STEP_S: Final = 0.1
"""Most that one wait counts: what it lasted longer, the loop halted."""

T = TypeVar("T")


async def attentively(work: Awaitable[T], within_s: float) -> T:
    """Return what comes of some work, if it comes while the loop listened for so long.

    Args:
        work: Is cancelled where it lasts longer.
        within_s: Seconds in which the loop turned; each step counts `STEP_S` at most.

    Raises:
        TimeoutError: It lasted longer.
    """
    task = asyncio.ensure_future(work)
    left_s = within_s
    try:
        while left_s > 0 and not task.done():
            begun_s = time.monotonic()
            await asyncio.wait({task}, timeout=min(STEP_S, left_s))
            left_s -= min(STEP_S, time.monotonic() - begun_s)
        if task.done():
            return task.result()
    finally:
        if not task.done():
            await ended(task)
    raise TimeoutError


class Attention:
    """Judges, round by round, the time since the round before.

    Args:
        period_s: Time between two rounds, seconds.
    """

    def __init__(self, period_s: float) -> None:
        self._period_s = period_s
        self._last_s = float("-inf")
        self._ready = False

    def hears(self, now_s: float, *, ready: bool) -> bool:
        """Return whether others were received since the round before, if they sent anything.

        A client that was away, or whose process was halted or busy for more than a period, must
        first read what has come meanwhile.

        Args:
            now_s: Monotonic time, seconds.
            ready: Whether the client is connected now.
        """
        attentive = ready and self._ready and now_s - self._last_s < 2 * self._period_s
        self._last_s, self._ready = now_s, ready
        return attentive
