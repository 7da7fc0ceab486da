"""What shall be applied at an event service: a function of the request table.

Equal filters of several clients are one native subscription; its sources are all of theirs.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from fes.control import RequestType
from fes.gateway.table import Row
from fes.link.messages import Announce, Desired, Order, Subscribe, Unannounce, Unsubscribe


@dataclass(slots=True)
class Applied:
    """One native subscription or announcement.

    Attributes:
        number: Names it on the link.
        kind: SUBSCRIPTION or ANNOUNCEMENT.
        what: Canonical filter, or the announced subject.
        filter: As the first client wrote it.
        body: The announced event, as the newest request has it.
        sources: Event services that asked for it, each once.
        requests: Ids of the requests behind it.
        state: `ordered`, `applied`, or why it could not be.
        widened: What its native form lets pass beyond the filter.
    """

    number: int
    kind: RequestType
    what: str
    filter: str
    body: bytes
    sources: tuple[str, ...]
    requests: tuple[str, ...]
    state: str = "ordered"
    widened: tuple[str, ...] = ()


class DesiredState:
    """The desired state of one event service.

    Args:
        next_number: Gives out numbers, each once in a gateway's life.
    """

    def __init__(self, next_number: Callable[[], int]) -> None:
        self.version = 0
        self._next_number = next_number
        self._by_what: dict[tuple[RequestType, str], Applied] = {}
        self._by_number: dict[int, Applied] = {}

    def __iter__(self) -> Iterator[Applied]:
        """Iterate over what is applied, oldest first."""
        return iter(self._by_what.values())

    def get(self, number: int) -> Applied | None:
        """Return what a number names; None where it was withdrawn."""
        return self._by_number.get(number)

    def knows(self, numbers: Iterable[int]) -> bool:
        """Tell whether all numbers are of subscriptions that are wanted here now."""
        return all(number in self._by_number for number in numbers)

    def sources(self, numbers: Iterable[int]) -> tuple[str, ...]:
        """Return the event services that asked for any of some subscriptions, each once, sorted."""
        known = [self._by_number[number] for number in numbers if number in self._by_number]
        if len(known) == 1:
            return known[0].sources
        return tuple(sorted({source for applied in known for source in applied.sources}))

    def announces(self, subject: str) -> bool:
        """Tell whether a client's request announces a subject here."""
        return (RequestType.ANNOUNCEMENT, subject) in self._by_what

    def update(self, wanted: list[Row]) -> list[Order]:
        """Make the state what the table wants; return the orders that bring it about.

        What is new comes before what is withdrawn, so that a changed filter leaves no gap.
        """
        groups: dict[tuple[RequestType, str], list[Row]] = {}
        for row in wanted:
            groups.setdefault((row.kind, row.what), []).append(row)
        gone = [key for key in self._by_what if key not in groups]
        fresh = [key for key, rows in groups.items() if self._keep(key, rows)]
        if fresh or gone:
            self.version += 1
        orders = [self._order(self._by_what[key]) for key in fresh]
        return orders + [self._withdraw(key) for key in gone]

    def whole(self) -> Desired:
        """Return the whole state, for an adapter that starts or comes back."""
        orders = [self._order(applied) for applied in self._by_what.values()]
        return Desired(
            self.version,
            tuple(order for order in orders if isinstance(order, Subscribe)),
            tuple(order for order in orders if isinstance(order, Announce)),
        )

    def _keep(self, key: tuple[RequestType, str], rows: list[Row]) -> bool:
        """Have what is applied be what some rows want; tell whether that needs an order."""
        sources = tuple(sorted({row.source for row in rows}))
        requests = tuple(str(row.request.identity) for row in rows)
        first, body = rows[0], rows[-1].body
        applied = self._by_what.get(key)
        if applied is None:
            applied = Applied(self._next_number(), *key, first.filter, body, sources, requests)
            self._by_what[key] = self._by_number[applied.number] = applied
            return True
        applied.sources, applied.requests = sources, requests
        if applied.body == body:
            return False
        applied.body, applied.state = body, "ordered"
        return True

    def _order(self, applied: Applied) -> Order:
        if applied.kind is RequestType.SUBSCRIPTION:
            return Subscribe(applied.number, applied.filter, self.version)
        return Announce(applied.number, applied.body)

    def _withdraw(self, key: tuple[RequestType, str]) -> Order:
        applied = self._by_what.pop(key)
        del self._by_number[applied.number]
        if applied.kind is RequestType.SUBSCRIPTION:
            return Unsubscribe(applied.number, self.version)
        return Unannounce(applied.number)
