"""Where sources are: answers of the naming service, as event services of the federation."""

from collections.abc import Callable, Collection, Mapping

from eventservices.bus import BusClient, Event, Sink
from eventservices.bus.binding.naming_client import NamingClient
from eventservices.bus.errors import EventNameError
from eventservices.bus.filters import Among, Field
from eventservices.bus.names import NEW_SOURCE, check_name
from fes.federation.guides import NamingPart
from msgspec import UNSET

LIFETIME_S = 10.0
"""After which an answer is queried again to which the naming service set no lifetime."""

FRESH_S = 20.0
"""How long a new source is known although an older answer, from a cache, has not got it."""

RENEW_S = 20.0
"""Between two renewals of what the gateway has added: a third of the naming service's lease."""


class Places:
    """Knows where sources are.

    Args:
        part: What the federation's file states of the naming service.
        services: Event services of the federation.
        client: Queries it.
        now_s: A clock that only goes forward; seconds.
        changed: Called with a subject that has a new source.
    """

    def __init__(
        self,
        part: NamingPart,
        services: Collection[str],
        client: NamingClient,
        now_s: Callable[[], float],
        changed: Callable[[str], None],
    ) -> None:
        self._part = part
        self._services = frozenset(services)
        self._client = client
        self._now_s = now_s
        self._changed = changed
        self._fresh: dict[str, dict[str, float]] = {}
        self._watched: frozenset[str] = frozenset()
        self._sink: Sink | None = None
        self._added: dict[tuple[str, str], float] = {}

    async def watch(self, bus: BusClient, subjects: Collection[str]) -> None:
        """Subscribe to new sources, before they are looked up: none comes between the two.

        Raises:
            BusError: The bus refused.
            NotConnectedError: It did not answer.
        """
        names = frozenset(each for each in subjects if _is_name(each))
        if not names or names <= self._watched:
            return
        filter_ = Among(Field("name"), tuple(sorted(names)))
        if self._sink is None:
            self._sink = await bus.subscribe(NEW_SOURCE, self._source_seen, filter_)
        else:
            await self._sink.refilter(filter_)
        self._watched = names

    async def lookup(self, subject: str) -> tuple[tuple[str, ...] | None, float]:
        """Return the event services with sources of a subject, and after how long to query again.

        None where that is not known now, or where a source is at no event service.
        """
        if not _is_name(subject):
            return None, FRESH_S
        found = await self._client.lookup(subject)
        again_s = found.again_s or LIFETIME_S
        if found.buses is None:
            return None, again_s
        services = {self._service_of(bus) for bus in (*found.buses, *self._newest(subject))}
        if None in services:
            return None, again_s
        return tuple(sorted(each for each in services if each is not None)), again_s

    async def feed(self, announced: Collection[tuple[str, str]]) -> None:
        """Have the naming service know what is announced, by subject and event service."""
        if not self._part.announces:
            return
        now_s = self._now_s()
        for subject, service in self._added.keys() - set(announced):
            if await self._client.remove(subject, service):
                del self._added[subject, service]
        for each in announced:
            if _is_name(each[0]) and self._added.get(each, 0.0) <= now_s:
                done = await self._client.add(*each)
                self._added[each] = now_s + (RENEW_S if done else 1.0)

    def _service_of(self, bus: str) -> str | None:
        if bus in self._services:
            return bus
        return None if self._part.buses is UNSET else self._part.buses

    def _newest(self, subject: str) -> Mapping[str, float]:
        known, now_s = self._fresh.get(subject, {}), self._now_s()
        for bus in [bus for bus, until_s in known.items() if until_s <= now_s]:
            del known[bus]
        if not known:
            self._fresh.pop(subject, None)
        return known

    def _source_seen(self, event: Event) -> None:
        bus, name = event.values.get("bus"), event.values.get("name")
        if isinstance(bus, str) and isinstance(name, str) and name in self._watched:
            self._fresh.setdefault(name, {})[bus] = self._now_s() + FRESH_S
            self._changed(name)


def _is_name(subject: str) -> bool:
    try:
        check_name(subject)
    except EventNameError:
        return False
    return True
