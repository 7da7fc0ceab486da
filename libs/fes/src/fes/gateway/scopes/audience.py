"""Who has subscribed to what an event service's clients publish, for the scope manager."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from fes.filter import Filter
from fes.gateway.requests.row import Row
from fes.model import Event

Filters = dict[str, list[Filter]]
"""The filters of subscriptions, by event service."""

EVERYTHING = Filter.of("")
"""What those that a list names receive."""


class _Known(NamedTuple):
    """What was made of the requests for an event service."""

    rows: tuple[Row, ...]
    filters: dict[str, Filter]
    of: Filters


_NOTHING = _Known((), {}, {})


class Requests:
    """The subscriptions in the request table, in the form that the scope manager needs.

    Args:
        requests: Returns the requests for an event service, as their clients made them: the same
            object until one of them changes.
    """

    def __init__(self, requests: Callable[[str], tuple[Row, ...]]) -> None:
        self._requests = requests
        self._known: dict[str, _Known] = {}
        self._of: Filters = {}
        self.delivered: Counter[str] = Counter()

    def listen_to(self, publisher: str, listed: tuple[str, ...] = ()) -> None:
        """Consider from now on the subscriptions to what an event service's clients publish.

        Where an event has a list, the event services on it are considered, and no others.
        """
        self._of = {name: [EVERYTHING] for name in listed} if listed else self._filters(publisher)

    def _filters(self, publisher: str) -> Filters:
        rows = self._requests(publisher)
        known = self._known.get(publisher, _NOTHING)
        if known.rows is not rows:
            known = self._known[publisher] = _known(rows, known.filters)
        return known.of

    def matching(self, event: Event) -> Iterable[str]:
        """Return the event services with a matching subscription."""
        return [name for name in self._of if self.matches(name, event)]

    def matches(self, consumer: str, event: Event) -> bool:
        """Return whether an event service has a matching subscription."""
        return any(each.matches(event) for each in self._of.get(consumer, ()))

    def is_present(self, consumer: str) -> bool:
        """Return whether an event service has subscribed at all."""
        return consumer in self._of

    def load(self, member: str) -> int:
        """Return how many events a member received."""
        return self.delivered[member]


def _known(rows: tuple[Row, ...], before: Mapping[str, Filter]) -> _Known:
    """Return what follows from requests; only filters that are new are parsed."""
    filters: dict[str, Filter] = {}
    of: Filters = {}
    for row in rows:
        if not row.body:
            filters[row.what] = before.get(row.what) or Filter.of(row.filter)
            of.setdefault(row.source, []).append(filters[row.what])
    return _Known(rows, filters, of)
