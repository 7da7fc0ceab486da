"""Sends commands as opaque requests, learns their outcomes and logs both.

Source:
    FES thesis, section 5.3.5 (opaque requests).
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from fes.errors import FesError
from msgspec.structs import replace
from serving.clocks import wall_us

from traffic_control.city import Monitor
from traffic_control.command import Action, Command
from traffic_control.errors import AwayError
from traffic_control.limit import filter_of

CONFIRM_S: Final = 10.0
"""Longest wait for the outcome of a command."""

LOOK_S: Final = 1.0
"""Time after which the outcome of a renewal is queried, once."""


class Asker(Protocol):
    """Makes opaque requests; `fes.adapter.opaque_client.OpaqueClient` is one."""

    async def subscribe(self, dist_list: str, filter_: str, lease_s: float = 0.0) -> str:
        """Make or renew a subscription; return the request id."""
        ...

    async def unsubscribe(self, dist_list: str, filter_: str) -> str:
        """Withdraw a subscription; return the request id."""
        ...


class Confirms(Protocol):
    """Learns when a command became active; see `Confirmer`."""

    async def once(self, monitor: Monitor, command: Command) -> int | None:
        """Return when it became active; None where no gateway reports that now."""
        ...

    async def within(self, monitor: Monitor, command: Command, seconds: float) -> int | None:
        """Return when it became active; None where that was not learnt in time."""
        ...


class Commander:
    """Sends the commands of one city.

    Args:
        asker: Makes the requests.
        confirms: Learns their outcomes.
        write: Called with each command once its outcome is known, or its time is over.
        lease_s: How long a limit lasts without renewal, seconds.
        clock_us: The wall clock, microseconds since 1970 UTC.

    Attributes:
        counters: Commands by action and outcome: `applied`, `unknown`, `failed`.
    """

    def __init__(
        self,
        asker: Asker,
        confirms: Confirms,
        write: Callable[[Command], None],
        lease_s: float,
        clock_us: Callable[[], int] = wall_us,
    ) -> None:
        self.counters: Counter[tuple[str, str]] = Counter()
        self._asker = asker
        self._confirms = confirms
        self._write = write
        self._lease_s = lease_s
        self._clock_us = clock_us

    async def give(self, action: Action, monitor: Monitor, limit_kmh: float) -> Command:
        """Make a request.

        Returns:
            The command, without its outcome.

        Raises:
            AwayError: SIENA cannot be reached now.
        """
        text, sent_us = filter_of(limit_kmh), self._clock_us()
        try:
            if action == "unsubscribe":
                request = await self._asker.unsubscribe(monitor.destination, text)
            else:
                request = await self._asker.subscribe(monitor.destination, text, self._lease_s)
        except FesError as error:
            self.counters[action, "failed"] += 1
            raise AwayError(str(error)) from error
        return Command(
            action=action,
            monitor=monitor.name,
            destination=monitor.destination,
            limit=limit_kmh,
            filter=text,
            request=request,
            sent_us=sent_us,
        )

    async def learn(self, monitor: Monitor, command: Command) -> int | None:
        """Wait for a command's outcome and log it, known or not.

        Returns:
            When it became active; None where that was not learnt in time.
        """
        return await self._noted(command, self._confirms.within(monitor, command, CONFIRM_S))

    async def look(self, monitor: Monitor, command: Command) -> int | None:
        """Query the outcome of a command once, after a moment, and log it.

        Returns:
            When it became active; None where no gateway reported that.
        """
        return await self._noted(command, self._later(monitor, command))

    async def _later(self, monitor: Monitor, command: Command) -> int | None:
        await asyncio.sleep(LOOK_S)
        return await self._confirms.once(monitor, command)

    async def _noted(self, command: Command, learning: Awaitable[int | None]) -> int | None:
        applied_us = None
        try:
            applied_us = await learning
        finally:
            outcome = "unknown" if applied_us is None else "applied"
            self.counters[command.action, outcome] += 1
            self._write(replace(command, applied_us=applied_us))
        return applied_us
