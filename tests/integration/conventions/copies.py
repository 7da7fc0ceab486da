"""Counts the copies of each event at each event service, and what native clients get of them."""

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar

from eventservices.stamp import Stamper
from fes.control import ControlEvent, RequestType
from fes.model import Event, Stamp
from fes.testing.eventually import eventually
from fes.testing.memory import MemoryClient, MemoryEvent
from support.processes.hosts import Hosts, hosts

SUBJECT = "Reading"

Result = TypeVar("Result")


class Copies:
    """What is published at event services of a federation from now on, and what is delivered.

    Args:
        federation: The federation.
        services: Its event services.
    """

    def __init__(self, federation: Hosts, services: Iterable[str]) -> None:
        self._federation = federation
        self._seen = {service: federation.listen(service) for service in services}
        self._clients = {
            service: MemoryClient(federation.bus(service), f"listener at {service}")
            for service in self._seen
        }
        self._stampers: dict[str, Stamper] = {}

    def publish(self, service: str, numbers: range, reliability: int = 0) -> None:
        """Publish events at an event service, as a native client of it that stamps."""
        stamper = self._stampers.setdefault(service, Stamper(f"client of {service}", service))
        for number in numbers:
            event = Event.of(SUBJECT, number=number).with_attributes({"Reliability": reliability})
            self._federation.bus(service).publish(event, stamper.next(None))

    def at(self, service: str) -> Counter[tuple[str, int]]:
        """Return how often each event was published at a service: home and number to count."""
        return Counter(
            (item.stamp.home, int(item.event.parameter("number")))
            for item in self._seen[service]
            if item.event.subject == SUBJECT and item.stamp is not None
        )

    def requests(self, service: str) -> list[MemoryEvent]:
        """Return the control events, but for hellos."""
        return [item for item in self._seen[service] if item.event.subject != SUBJECT]

    def delivered(self, service: str) -> Counter[tuple[str, int]]:
        """Return how often a native client of a service was given each event."""
        return Counter(
            (item.stamp.home, int(item.event.parameter("number")))
            for item in self._clients[service].received
            if item.event.subject == SUBJECT and item.stamp is not None
        )

    async def all_have(self, expected: Iterable[tuple[str, int]]) -> None:
        """Wait until native clients everywhere have every event; see that none has one twice.

        Natively there are no more copies than gateways at an event service: each of them may
        publish what it accepted, and clients suppress what they had.
        """
        wanted = set(expected)

        def has_all(service: str) -> bool:
            return wanted <= set(self.delivered(service))

        for service in self._seen:
            await eventually(partial(has_all, service), 20.0, f"all at {service}")
        await quiet(self._federation)
        for service in self._seen:
            assert self.delivered(service) == dict.fromkeys(wanted, 1), service
            gateways = sum(one == service for _, one in self._federation.attachments)
            assert max(self.at(service).values()) <= gateways, service


async def undisturbed(federation: Hosts, act: Callable[[], Awaitable[Result]]) -> Result:
    """Return what an act returns while no gateway loses sight of another.

    Where the machine is busy a gateway may stand still for so long that others miss it; they then
    exchange more than they would, and the act is performed again.
    """
    while True:
        await agreed(federation)
        before = _rosters(federation)
        found = await act()
        if _rosters(federation) == before:
            return found


def _rosters(federation: Hosts) -> dict[str, int]:
    running = federation.running.items()
    return {name: each.host.core.gossip.presence.roster.digest for name, each in running}


async def quiet(federation: Hosts, ticks: int = 6) -> None:
    """Wait until every gateway that runs had some turns more."""
    services = {service for name, service in federation.attachments if name in federation.running}
    before = {service: federation.bus(service).published for service in services}
    busy = [one for one in services if _shared(federation, one)]
    await eventually(
        lambda: all(federation.bus(one).published >= before[one] + ticks for one in busy),
        10.0,
        "hellos",
    )


def _shared(federation: Hosts, service: str) -> bool:
    return (
        sum(one == service for name, one in federation.attachments if name in federation.running)
        > 1
    )


def ask(
    federation: Hosts, gateway: str, source: str, dist_list: str, *, withdraw: bool = False
) -> None:
    """Subscribe to everything called Reading, or unsubscribe."""
    federation.running[gateway].host.inject(
        ControlEvent(
            stamp=Stamp("nobody", 0, 1, 0, "nobody"),
            system="test",
            type=RequestType.UNSUBSCRIPTION if withdraw else RequestType.SUBSCRIPTION,
            source=source,
            dist_list=dist_list,
            filter=f"subject = '{SUBJECT}'",
            requester="client",
        )
    )


async def agreed(federation: Hosts) -> None:
    """Wait until all gateways know the same."""

    def same() -> bool:
        cores = [each.host.core for each in federation.running.values()]
        return len({(core.table.digest, core.gossip.presence.roster.digest) for core in cores}) == 1

    await eventually(same, 10.0, "all know the same")


async def in_force(federation: Hosts, service: str, times: int = 1) -> None:
    """Wait until so many native subscriptions are in force at a service."""
    bus = federation.bus(service)
    await eventually(lambda: sum(bus.subscribed.values()) == times, 10.0, f"in force at {service}")


@asynccontextmanager
async def begun(attachments: Sequence[tuple[str, str]]) -> AsyncIterator[tuple[Hosts, list[str]]]:
    """Have gateways at work, and every event service ask all others for everything.

    Gives the federation once all agree, and its event services.
    """
    services = sorted({service for _, service in attachments})
    async with hosts(*attachments) as federation:
        for gateway in dict(attachments):
            await federation.start(gateway)
        for service in services:
            near = next(name for name, at in attachments if at == service)
            ask(federation, near, service, "*")
        await agreed(federation)
        yield federation, services
