"""The desired state of an event service: a function of the request table.

Equal filters of several clients are one native subscription, with the sources of all of them. A
request changes only the native subscription that it is about, whatever else is applied.
"""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from fes.control import RequestType
from fes.gateway.requests.held import Held
from fes.gateway.requests.row import Rank, Row
from fes.link.messages import Announce, Desired, Order, Subscribe, Unannounce, Unsubscribe

What = tuple[RequestType, str]
"""SUBSCRIPTION or ANNOUNCEMENT, and the canonical filter or the announced subject."""


class Askers:
    """The requests behind one native subscription or announcement, oldest first."""

    def __init__(self) -> None:
        self._order: list[tuple[Rank, str]] = []
        self._rows: dict[tuple[Rank, str], Row] = {}
        self._sources: Counter[str] = Counter()
        self._ids: Counter[str] = Counter()
        self.sources: tuple[str, ...] = ()

    def __len__(self) -> int:
        """Return the number of requests."""
        return len(self._order)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids of the requests, oldest first."""
        return (str(self._rows[place].request.identity) for place in self._order)

    def __contains__(self, request: object) -> bool:
        """Return whether a request, by its id, is among them."""
        return request in self._ids

    @property
    def oldest(self) -> Row:
        """The oldest request."""
        return self._rows[self._order[0]]

    @property
    def newest(self) -> Row:
        """The newest request."""
        return self._rows[self._order[-1]]

    def add(self, row: Row) -> None:
        """Add a request."""
        place = (row.rank, row.name)
        insort(self._order, place)
        self._rows[place] = row
        self._ids[str(row.request.identity)] += 1
        self._sources[row.source] += 1
        if self._sources[row.source] == 1:
            self.sources = tuple(sorted(self._sources))

    def remove(self, row: Row) -> None:
        """Remove a request."""
        place = (row.rank, row.name)
        del self._order[bisect_left(self._order, place)], self._rows[place]
        _less(self._ids, str(row.request.identity))
        _less(self._sources, row.source)
        if row.source not in self._sources:
            self.sources = tuple(sorted(self._sources))


@dataclass(slots=True)
class Applied:
    """One native subscription or announcement.

    Attributes:
        number: Identifies it on the link.
        kind: SUBSCRIPTION or ANNOUNCEMENT.
        what: Canonical filter, or the announced subject.
        filter: As the first client wrote it.
        body: The announced event, as the newest request has it.
        requests: The requests behind it, by id.
        state: `ordered`, `applied`, or why it could not be.
        widened: What its native form accepts beyond the filter.
    """

    number: int
    kind: RequestType
    what: str
    filter: str
    body: bytes
    requests: Askers = field(default_factory=Askers)
    state: str = "ordered"
    widened: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[str, ...]:
        """Event services that requested it, each once, sorted."""
        return self.requests.sources


class DesiredState:
    """The desired state of one event service.

    Args:
        next_number: Returns numbers, each once in a gateway's life.
    """

    def __init__(self, next_number: Callable[[], int]) -> None:
        self.version = 0
        self._next_number = next_number
        self._by_what: dict[What, Applied] = {}
        self._by_number: dict[int, Applied] = {}
        self._askers: dict[What, Askers] = {}

    def __iter__(self) -> Iterator[Applied]:
        """Iterate over what is applied, oldest first."""
        return iter(self._by_what.values())

    def get(self, number: int) -> Applied | None:
        """Return the entry of a number; None where it was withdrawn."""
        return self._by_number.get(number)

    def find(self, kind: RequestType, what: str) -> Applied | None:
        """Return what is applied for a filter or a subject; None where nothing is."""
        return self._by_what.get((kind, what))

    def knows(self, numbers: Iterable[int]) -> bool:
        """Return whether all numbers are of subscriptions that are desired here now."""
        return all(number in self._by_number for number in numbers)

    def sources(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """Return the event services that requested any of some subscriptions, each once, sorted."""
        known = [self._by_number[number] for number in numbers if number in self._by_number]
        if len(known) == 1:
            return known[0].sources
        return tuple(sorted({source for applied in known for source in applied.sources}))

    def announces(self, subject: str) -> bool:
        """Return whether a client's request announces a subject here."""
        return (RequestType.ANNOUNCEMENT, subject) in self._by_what

    def update(self, changes: Iterable[Held]) -> list[Order]:
        """Update the state from the table; return the orders that apply the difference.

        What is new comes before what is withdrawn, so that a changed filter leaves no gap.

        Args:
            changes: The requests for this event service that changed.
        """
        touched: dict[What, None] = {}
        for _, before, after in changes:
            touched.update((_what(row), None) for row in (after, before) if row is not None)
            if before is not None:
                self._askers[_what(before)].remove(before)
            if after is not None:
                self._askers.setdefault(_what(after), Askers()).add(after)
        gone = [what for what in touched if not self._askers[what] and what in self._by_what]
        fresh = [what for what in touched if self._askers[what] and self._keep(what)]
        for what in touched:
            if not self._askers[what]:
                del self._askers[what]
        if fresh or gone:
            self.version += 1
        orders = [self._order(self._by_what[what]) for what in fresh]
        return orders + [self._withdraw(what) for what in gone]

    def whole(self) -> Desired:
        """Return the whole state, for an adapter that starts or connects again."""
        orders = [self._order(applied) for applied in self._by_what.values()]
        return Desired(
            self.version,
            tuple(order for order in orders if isinstance(order, Subscribe)),
            tuple(order for order in orders if isinstance(order, Announce)),
        )

    def _keep(self, what: What) -> bool:
        """Update an entry from its requests; return whether that needs an order."""
        askers = self._askers[what]
        body = askers.newest.body
        applied = self._by_what.get(what)
        if applied is None:
            applied = Applied(self._next_number(), *what, askers.oldest.filter, body, askers)
            self._by_what[what] = self._by_number[applied.number] = applied
            return True
        if applied.body == body:
            return False
        applied.body, applied.state = body, "ordered"
        return True

    def _order(self, applied: Applied) -> Order:
        if applied.kind is RequestType.SUBSCRIPTION:
            return Subscribe(applied.number, applied.filter, self.version)
        return Announce(applied.number, applied.body)

    def _withdraw(self, key: What) -> Order:
        applied = self._by_what.pop(key)
        del self._by_number[applied.number]
        if applied.kind is RequestType.SUBSCRIPTION:
            return Unsubscribe(applied.number, self.version)
        return Unannounce(applied.number)


def _what(row: Row) -> What:
    return row.kind, row.what


def _less(counter: Counter[str], key: str) -> None:
    counter[key] -= 1
    if not counter[key]:
        del counter[key]
