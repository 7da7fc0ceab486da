"""Who has subscribed to what an event service's clients publish, for the scope manager."""

from collections import Counter
from collections.abc import Callable, Iterable

from fes.filter import Filter
from fes.gateway.requests.row import Row
from fes.model import Event


class Requests:
    """The subscriptions in the request table, in the form that the scope manager needs.

    Args:
        requests: Returns the requests for an event service, as their clients made them.
    """

    def __init__(self, requests: Callable[[str], Iterable[Row]]) -> None:
        self._requests = requests
        self._filters: dict[str, Filter] = {}
        self._of: dict[str, list[Filter]] = {}
        self.delivered: Counter[str] = Counter()

    def listen_to(self, publisher: str) -> None:
        """Consider from now on the subscriptions to what an event service's clients publish."""
        self._of = {}
        filters = {}
        for row in self._requests(publisher):
            if not row.body:
                known = self._filters.get(row.what) or Filter.of(row.filter)
                filters[row.what] = known
                self._of.setdefault(row.source, []).append(known)
        self._filters = filters

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
