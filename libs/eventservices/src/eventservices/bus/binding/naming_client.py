"""The naming service, as a bus queries it: over NATS, any of its servers."""

import logging
from collections.abc import Sequence
from typing import Final

from serving.clocks import steady_us, wall_us

from eventservices.bus.binding.asking import Asking
from eventservices.bus.binding.own_clock import OwnClock
from eventservices.bus.binding.ports import Found
from eventservices.bus.wire.messages import MessageError
from eventservices.bus.wire.naming import (
    AddName,
    Lookup,
    Query,
    RemoveName,
    Result,
    decode_result,
    encode,
    subject,
)
from eventservices.natslink import NatsLink

log = logging.getLogger(__name__)

TIMEOUT_S: Final = 3.0
"""Longer than a server waits for the next one, which it then reports as away."""

UNKNOWN_AGAIN_S: Final = 2.0


class NamingClient:
    """Queries the first server that answers; the next time that one first.

    Args:
        link: Open.
        building: Whose naming service it is.
        servers: Names of hosts, as files of static links have them.
    """

    def __init__(self, link: NatsLink, building: str, servers: Sequence[str]) -> None:
        self._asking = Asking(link)
        self._building = building
        self._servers = list(servers)
        # What a bus requests later is never the older for it.
        self._clock = OwnClock(wall_us, steady_us)

    async def add(self, name: str, bus: str) -> bool:
        """Add a bus to an event's sources; return whether that is known to be done."""
        result = await self.ask(AddName(name, bus, self._clock.now_us()))
        return result is not None and result.state == "known"

    async def remove(self, name: str, bus: str) -> bool:
        """Remove a bus from an event's sources; return whether that is known to be done."""
        result = await self.ask(RemoveName(name, bus, self._clock.now_us()))
        return result is not None and result.state == "known"

    async def lookup(self, name: str) -> Found:
        """Return the buses with sources of an event."""
        result = await self.ask(Lookup(name))
        if result is None or result.state != "known":
            return Found(None, UNKNOWN_AGAIN_S)
        return Found(result.buses, result.lifetime_us / 1e6 if result.cached else 0.0)

    async def ask(self, query: Query, timeout_s: float = TIMEOUT_S) -> Result | None:
        """Return the result of a query; None where no server answered."""
        for server in list(self._servers):
            place = subject(self._building, server)
            answer = await self._asking.ask(place, encode(query), timeout_s)
            if answer is None:
                self._servers.remove(server)
                self._servers.append(server)
                continue
            try:
                return decode_result(answer)
            except MessageError as error:
                log.warning("result_refused", extra={"server": server, "reason": str(error)})
        return None
