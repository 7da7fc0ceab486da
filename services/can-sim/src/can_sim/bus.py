"""Buses: where a vehicle's frames go."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from eventservices.stamp import Stamp, Stamper

from can_sim.errors import BusError

MAX_FRAMES_KEPT = 100_000


class Bus(Protocol):
    """Accepts frames of any vehicle."""

    async def put(self, vehicle: str, data: bytes, time_us: int) -> Stamp:
        """Put the speed frame's data on a vehicle's bus.

        Args:
            vehicle: Whose bus.
            data: The 8 data bytes of frame 12345.
            time_us: The event's time.

        Returns:
            The identity that the event was given.

        Raises:
            BusError: The frame was not sent.
        """
        ...


class MemoryBus:
    """Keeps the frames, for tests and dry runs; the oldest go first when it is full."""

    def __init__(self) -> None:
        self.frames: list[tuple[str, bytes, int]] = []
        self.forgotten = 0
        self._stampers: dict[str, Stamper] = {}

    async def put(self, vehicle: str, data: bytes, time_us: int) -> Stamp:
        """Keep a frame."""
        if len(self.frames) >= MAX_FRAMES_KEPT:
            del self.frames[0]
            self.forgotten += 1
        self.frames.append((vehicle, data, time_us))
        stamper = self._stampers.setdefault(vehicle, Stamper(vehicle, vehicle, epoch=1))
        return stamper.next(time_us)


class GuardedBus:
    """A bus that never keeps its caller waiting for long.

    After a put that took too long the bus counts as stalled for a while, and refuses at once.

    Args:
        bus: The bus behind it.
        timeout_s: Longest that a put takes.
        stalled_s: How long the bus is left alone then.
        now_s: A clock that never goes back, seconds.
    """

    def __init__(
        self,
        bus: Bus,
        *,
        timeout_s: float = 0.5,
        stalled_s: float = 2.0,
        now_s: Callable[[], float] | None = None,
    ) -> None:
        self._bus = bus
        self._timeout_s = timeout_s
        self._stalled_s = stalled_s
        self._now_s = now_s or (lambda: asyncio.get_running_loop().time())
        self._stalled_until_s = 0.0

    async def put(self, vehicle: str, data: bytes, time_us: int) -> Stamp:
        """Put a frame on the bus behind, in good time or not at all."""
        if self._now_s() < self._stalled_until_s:
            raise BusError("stalled")
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._bus.put(vehicle, data, time_us)
        except TimeoutError as error:
            self._stalled_until_s = self._now_s() + self._stalled_s
            raise BusError("stalled", f"a frame took over {self._timeout_s} s") from error
