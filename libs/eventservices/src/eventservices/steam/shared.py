"""An air that several users of a process share: few connections, and one probe for all."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Self

from eventservices.ending import ended
from eventservices.errors import NotConnectedError
from eventservices.steam.air import Air
from eventservices.steam.settings import AirSettings

IN_FORCE_S = 1.0
"""Longest wait, after a round trip, for subscriptions of moving nodes to be active."""

ROOM_S = 1.0
"""Longest wait for a broker that does not keep up; then publications are refused."""

COUNTED_S = 0.5
"""How long a sum of counters serves: each of its users requests it, about as often."""

_LOOK_S = 0.01


@dataclass(slots=True, eq=False)
class SharedAir:
    """One air, for everybody in a process that uses it.

    Attributes:
        air: The air, open.
    """

    air: Air
    _probing: asyncio.Task[None] | None = None
    _counted: dict[str, int] = field(default_factory=dict)
    _counted_s: float = float("-inf")

    def counted(self) -> dict[str, int]:
        """Return the air's counters, which add up all nodes; at most `COUNTED_S` old."""
        now_s = time.monotonic()
        if now_s - self._counted_s >= COUNTED_S:
            self._counted, self._counted_s = asdict(self.air.counters), now_s
        return self._counted

    @classmethod
    async def open(cls, settings: AirSettings, clock_us: Callable[[], int]) -> Self:
        """Return an air, open.

        Raises:
            EventServiceError: The broker is away, or does not accept this client.
        """
        air = Air(settings, clock_us)
        await air.open()
        return cls(air)

    def differing(self, settings: AirSettings) -> str:
        """Return the first setting in which the air is another; "" where there is none."""
        mine, theirs = asdict(self.air.settings), asdict(settings)
        names = (name for name in mine if name != "client_id" and mine[name] != theirs[name])
        return next(names, "")

    async def close(self) -> None:
        """Close the air; its last user does so."""
        await ended(self._probing)
        await self.air.close()

    async def probe(self) -> None:
        """Make a round trip, or join the one that is being made.

        A probe in vain has its connection made again, so that one of many at a time must do.

        Raises:
            NotConnectedError: It did not come back, or subscriptions are not active.
        """
        if self._probing is None or self._probing.done():
            self._probing = asyncio.create_task(self._round_trip(), name="steam probe")
        await asyncio.shield(self._probing)

    async def room(self) -> None:
        """Let others have a turn, and a broker that is slow catch up."""
        try:
            async with asyncio.timeout(ROOM_S):
                await self.air.drain()
        except TimeoutError:
            return

    async def _round_trip(self) -> None:
        await self.air.probe(shared=True)
        if not await _within(IN_FORCE_S, lambda: self.air.healthy):
            raise NotConnectedError("the broker has not acknowledged every subscription")


async def _within(limit_s: float, check: Callable[[], bool]) -> bool:
    loop = asyncio.get_running_loop()
    end_s = loop.time() + limit_s
    while not check():
        if loop.time() > end_s:
            return False
        await asyncio.sleep(_LOOK_S)
    return True
