"""An audience whose subscriptions a test sets."""

from collections.abc import Iterable

from fes.filter import Filter
from fes.model import Event


class Subscribers:
    """Who has subscribed to what; everybody is there unless a test says otherwise."""

    def __init__(self) -> None:
        self.filters: dict[str, list[Filter]] = {}
        self.absent: set[str] = set()
        self.loads: dict[str, int] = {}
        self._listed: tuple[str, ...] = ()

    def listen_to(self, publisher: str, listed: tuple[str, ...] = ()) -> None:
        """Subscriptions are to what anybody publishes; a list replaces them."""
        self._listed = listed

    def subscribe(self, consumer: str, text: str) -> None:
        self.filters.setdefault(consumer, []).append(Filter.of(text))

    def matching(self, event: Event) -> Iterable[str]:
        return [name for name in self._listed or self.filters if self.matches(name, event)]

    def matches(self, consumer: str, event: Event) -> bool:
        if self._listed:
            return consumer in self._listed
        return any(each.matches(event) for each in self.filters.get(consumer, ()))

    def is_present(self, consumer: str) -> bool:
        return consumer not in self.absent

    def load(self, member: str) -> int:
        return self.loads.get(member, 0)
