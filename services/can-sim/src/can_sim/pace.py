"""Pacing against a start, so that the error of one sleep never adds to the next."""

import asyncio
from collections.abc import Awaitable, Callable

from serving.clocks import wall_us

MIN_SLEEP_US = 1_000
"""Shorter waits are skipped: a sleep lasts longer than it is requested."""
MAX_SLEEP_US = 500_000
"""Longer waits are cut, so that idle work gets its turn."""

Sleep = Callable[[float], Awaitable[None]]


class Pacer:
    """Waits until moments of the wall clock.

    Args:
        stopping: Ends every wait when set.
        idle: Called before each sleep, e.g. to flush files.
        now_us: The wall clock.
        sleep: Waits for some seconds; by default until `stopping` is set at the latest.
    """

    def __init__(
        self,
        stopping: asyncio.Event,
        idle: Callable[[], None],
        *,
        now_us: Callable[[], int] = wall_us,
        sleep: Sleep | None = None,
    ) -> None:
        self._stopping = stopping
        self._idle = idle
        self._now_us = now_us
        self._sleep = sleep or self._sleep_or_stop

    async def until(self, due_us: int) -> int:
        """Return at `due_us`, or up to 1 ms before; at once where it has passed.

        Args:
            due_us: Microseconds since 1970 UTC.

        Returns:
            How late it is, microseconds; 0 where it is not.
        """
        while not self._stopping.is_set():
            left = due_us - self._now_us()
            if left < MIN_SLEEP_US:
                return max(0, -left)
            self._idle()
            await self._sleep(min(left, MAX_SLEEP_US) / 1e6)
        return 0

    async def _sleep_or_stop(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
        except TimeoutError:
            return
