"""One naming server without input and output: queries in, answers and forwards out.

Source:
    Smart-building thesis, sections 4.4.7 and 5.7. Open there, and decided here: lifetimes, leases,
    negative answers, and what is answered while a server is away (docs/smart-building.md).
"""

from collections import Counter, OrderedDict
from dataclasses import dataclass, field

from eventservices.bus.errors import EventNameError
from eventservices.bus.names import check_name
from eventservices.bus.wire.naming import (
    MOST_HOPS,
    AddName,
    Lookup,
    Query,
    RemoveName,
    Result,
)

from fes_naming.links import Links

SEPARATOR = "\t"
HOP_US = 80_000
"""How much less each next server waits, so that the one before still gets its answer."""
LEAST_US = 300_000
LOOKS = 2_000
"""Most leases, and most that is pending, that one tick looks at: the event loop does not wait."""

OUTDATED = 2
"""For how many leases the time of a bus's last request is known: longer than anything is pending.

A bus that was restarted with a clock that is behind is believed again after that.
"""


@dataclass(frozen=True, slots=True)
class NamingSettings:
    """How a server behaves.

    Attributes:
        lifetime_us: How long an answer with sources may be used.
        negative_us: How long one without sources may be.
        lease_us: How long a source is kept that is not renewed, and how long an addition or
            removal is pending: a bus that lives renews it, and of one that crashed nothing stays.
        forward_us: Longest that the first server waits for the next; each next one waits less.
        away_us: How long a server that did not answer is not queried again.
        retry_us: Between two attempts of what is pending.
        most_names: Most sources kept.
        most_cached: Most answers of other servers kept; the one unused longest is dropped.
        most_pending: Most additions and removals that wait for a server; beyond, refused.
        most_forwards: Most queries that wait for another server; beyond, not known.
    """

    lifetime_us: int = 10_000_000
    negative_us: int = 2_000_000
    lease_us: int = 60_000_000
    forward_us: int = 2_500_000
    away_us: int = 1_000_000
    retry_us: int = 1_000_000
    most_names: int = 1_000_000
    most_cached: int = 100_000
    most_pending: int = 100_000
    most_forwards: int = 10_000


@dataclass(frozen=True, slots=True)
class Reply:
    """Answers a query."""

    asker: str
    result: Result


@dataclass(frozen=True, slots=True)
class Forward:
    """Passes a query on; `NameServer.answered` accepts the answer by its ticket."""

    ticket: int
    server: str
    query: Query
    timeout_us: int


@dataclass(frozen=True, slots=True)
class NewSource:
    """Reports a source that is new."""

    name: str
    bus: str


Output = Reply | Forward | NewSource


@dataclass(slots=True)
class _Asked:
    asker: str
    query: Query
    rest: tuple[str, ...]
    server: str
    until_us: int = 0


@dataclass(frozen=True, slots=True)
class _Pending:
    query: AddName | RemoveName
    due_us: int
    until_us: int


@dataclass(slots=True)
class Step:
    """Rows to store, then outputs to perform."""

    rows: dict[str, bytes | None] = field(default_factory=dict)
    outputs: list[Output] = field(default_factory=list)


class NameServer:
    """Decides what one naming server does.

    Args:
        links: Its links.
        settings: See there.
        stored: Rows that an earlier run stored; their leases begin again.
        now_us: Microseconds, by a clock that is never set.
    """

    def __init__(
        self,
        links: Links,
        settings: NamingSettings,
        stored: dict[str, bytes] | None = None,
        now_us: int = 0,
    ) -> None:
        self.links = links
        self.settings = settings
        self._counts: Counter[str] = Counter()
        self._names: dict[str, dict[str, int]] = {}
        self._sources = 0
        self._leases: OrderedDict[tuple[str, str], None] = OrderedDict()
        self._newest: OrderedDict[tuple[str, str], tuple[int, int]] = OrderedDict()
        self._cache: OrderedDict[str, tuple[tuple[str, ...], int]] = OrderedDict()
        self._asked: dict[int, _Asked] = {}
        self._ticket = 0
        self._pending: OrderedDict[tuple[str, str], _Pending] = OrderedDict()
        self._away: dict[str, int] = {}
        self._step = Step()
        self._swept_us = now_us
        for key in stored or {}:
            name, _, bus = key.partition(SEPARATOR)
            self._names.setdefault(name, {})[bus] = now_us + settings.lease_us
            self._leases[name, bus] = None
            self._sources += 1

    @property
    def counters(self) -> dict[str, int]:
        """What happened, and how much there is."""
        own = {"names": len(self._names), "sources": self._sources, "cached": len(self._cache)}
        return {**self._counts, **own, "pending": len(self._pending)}

    def take(self) -> Step:
        """Return, once, what the calls since the last time led to."""
        step, self._step = self._step, Step()
        return step

    def handle(self, asker: str, query: Query, now_us: int) -> None:
        """Accept a query; one `Reply` follows."""
        try:
            check_name(query.name)
        except EventNameError as error:
            self._reply(asker, Result("unknown", reason=str(error)))
            return
        self._counts[type(query).__name__] += 1
        if query.hops >= MOST_HOPS:
            self._counts["too_many_hops"] += 1
            self._reply(asker, Result("unknown", reason=f"over {MOST_HOPS} servers passed it on"))
            return
        route = self.links.route(query.name)
        if not route:
            self._reply(asker, self._answer(query, now_us))
            return
        if isinstance(query, Lookup):
            cached = self._cached(query.name, now_us)
            if cached is not None:
                self._counts["cache_hits"] += 1
                self._reply(asker, cached)
                return
        else:
            self._cache.pop(query.name, None)
            waiting = self._pending.get((query.name, query.bus))
            if waiting is not None and waiting.query.at_us <= query.at_us:
                del self._pending[query.name, query.bus]
        self._forward(asker, query, route, now_us)

    def answered(self, ticket: int, result: Result | None, now_us: int) -> None:
        """Accept another server's answer; None where it did not answer in time."""
        asked = self._asked.pop(ticket, None)
        if asked is None:
            return
        if result is None:
            self._counts["unanswered"] += 1
            self._away[asked.server] = now_us + self.settings.away_us
            self._forward(asked.asker, asked.query, asked.rest, now_us, asked.until_us)
            return
        query = asked.query
        if isinstance(query, Lookup):
            if result.state == "known" and result.lifetime_us > 0:
                self._remember(query.name, result, now_us)
        elif result.state == "unknown":
            self._wait(asked.asker, query, now_us, result.reason, asked.until_us)
            return
        self._reply(asked.asker, result)

    def tick(self, now_us: int) -> None:
        """Try again what is pending, and end leases; to be called several times a second."""
        for _ in range(LOOKS):
            # The one that is due first is the first: all wait equally long.
            key = next(iter(self._pending), None)
            if key is None or self._pending[key].due_us > now_us:
                break
            pending = self._pending.pop(key)
            route = self.links.route(key[0])
            self._forward("", pending.query, route, now_us, pending.until_us)
        if now_us - self._swept_us >= self.settings.retry_us:
            self._swept_us = now_us
            self._sweep(now_us)

    def _answer(self, query: Query, now_us: int) -> Result:
        """Return the answer to a query that is this server's own."""
        match query:
            case AddName(name, bus, at_us):
                if not self._is_newest(name, bus, at_us, now_us):
                    return Result("known")
                return self._add(name, bus, now_us)
            case RemoveName(name, bus, at_us):
                if self._is_newest(name, bus, at_us, now_us):
                    self._remove(name, bus)
                return Result("known")
            case Lookup(name):
                live = {
                    bus: until_us
                    for bus, until_us in self._names.get(name, {}).items()
                    if until_us > now_us
                }
                lifetime_us = self.settings.lifetime_us if live else self.settings.negative_us
                return Result("known", tuple(sorted(live)), lifetime_us)

    def _is_newest(self, name: str, bus: str, at_us: int, now_us: int) -> bool:
        """Return whether nothing newer of a bus was accepted, and remember it.

        What was pending at another server may come long after what the bus requested since.
        """
        if at_us < self._newest.get((name, bus), (0, 0))[0]:
            self._counts["outdated"] += 1
            return False
        self._newest[name, bus] = (at_us, now_us + OUTDATED * self.settings.lease_us)
        self._newest.move_to_end((name, bus))
        while len(self._newest) > self.settings.most_names:
            self._newest.popitem(last=False)
        return True

    def _add(self, name: str, bus: str, now_us: int) -> Result:
        buses = self._names.setdefault(name, {})
        is_new = buses.get(bus, 0) <= now_us
        if is_new and bus not in buses:
            if self._sources >= self.settings.most_names:
                self._counts["refused_full"] += 1
                if not buses:
                    del self._names[name]
                return Result("unknown", reason=f"the server has {self._sources} sources")
            self._sources += 1
            self._step.rows[f"{name}{SEPARATOR}{bus}"] = b""
        buses[bus] = now_us + self.settings.lease_us
        self._leases[name, bus] = None
        self._leases.move_to_end((name, bus))
        if is_new:
            self._step.outputs.append(NewSource(name, bus))
        return Result("known")

    def _remove(self, name: str, bus: str) -> None:
        buses = self._names.get(name, {})
        if buses.pop(bus, None) is not None:
            self._sources -= 1
            del self._leases[name, bus]
            self._step.rows[f"{name}{SEPARATOR}{bus}"] = None
            if not buses:
                del self._names[name]

    def _sweep(self, now_us: int) -> None:
        """End what is over: leases, copies, and what is only kept to recognise late requests."""
        for _ in range(LOOKS):
            # The lease that was renewed longest ago is the first.
            name, bus = next(iter(self._leases), ("", ""))
            if not name or self._names[name][bus] > now_us:
                break
            self._counts["leases_ended"] += 1
            self._remove(name, bus)
        for _ in range(LOOKS):
            oldest = next(iter(self._newest), None)
            if oldest is None or self._newest[oldest][1] > now_us:
                break
            del self._newest[oldest]
        for _ in range(LOOKS):
            unused = next(iter(self._cache), None)
            if unused is None or self._cache[unused][1] > now_us:
                break
            del self._cache[unused]
        self._away = {each: until for each, until in self._away.items() if until > now_us}

    def _cached(self, name: str, now_us: int) -> Result | None:
        found = self._cache.get(name)
        if found is None:
            return None
        buses, until_us = found
        if until_us <= now_us:
            del self._cache[name]
            return None
        self._cache.move_to_end(name)
        return Result("known", buses, until_us - now_us, cached=True)

    def _remember(self, name: str, result: Result, now_us: int) -> None:
        self._cache[name] = (result.buses, now_us + result.lifetime_us)
        self._cache.move_to_end(name)
        while len(self._cache) > self.settings.most_cached:
            self._cache.popitem(last=False)

    def _forward(
        self, asker: str, query: Query, route: tuple[str, ...], now_us: int, until_us: int = 0
    ) -> None:
        """Pass a query on to the first server that is not known to be away.

        Args:
            asker: Who is answered; "" for nobody.
            query: An addition or removal waits where no server is there.
            route: Servers, the likeliest first.
            now_us: The present.
            until_us: Until when it may wait; 0 where it has not waited yet.
        """
        for place, server in enumerate(route):
            if self._away.get(server, 0) > now_us:
                continue
            if len(self._asked) >= self.settings.most_forwards:
                break
            self._ticket += 1
            self._asked[self._ticket] = _Asked(asker, query, route[place + 1 :], server, until_us)
            timeout_us = max(LEAST_US, self.settings.forward_us - query.hops * HOP_US)
            output = Forward(self._ticket, server, _next(query), timeout_us)
            self._step.outputs.append(output)
            return
        reason = "no server on the route answers"
        if isinstance(query, Lookup):
            self._counts["unknown_now"] += 1
            self._reply(asker, Result("unknown", reason=reason))
        else:
            self._wait(asker, query, now_us, reason, until_us)

    def _wait(
        self, asker: str, query: AddName | RemoveName, now_us: int, reason: str, until_us: int
    ) -> None:
        """Keep an addition or removal, to be tried again; only the first server does."""
        key = (query.name, query.bus)
        until_us = until_us or now_us + self.settings.lease_us
        if until_us <= now_us:
            self._counts["pending_ended"] += 1
            return
        if query.hops or (key not in self._pending and self._is_full()):
            self._reply(asker, Result("unknown", reason=reason))
            return
        waiting = self._pending.get(key)
        if waiting is None or waiting.query.at_us <= query.at_us:
            self._pending[key] = _Pending(query, now_us + self.settings.retry_us, until_us)
            self._pending.move_to_end(key)
        self._reply(asker, Result("pending", reason=reason))

    def _is_full(self) -> bool:
        return len(self._pending) >= self.settings.most_pending

    def _reply(self, asker: str, result: Result) -> None:
        if asker:
            self._step.outputs.append(Reply(asker, result))


def _next(query: Query) -> Query:
    match query:
        case AddName(name, bus, at_us, hops):
            return AddName(name, bus, at_us, hops + 1)
        case RemoveName(name, bus, at_us, hops):
            return RemoveName(name, bus, at_us, hops + 1)
        case Lookup(name, hops):
            return Lookup(name, hops + 1)
