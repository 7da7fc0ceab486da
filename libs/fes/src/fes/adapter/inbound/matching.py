"""Finds the subscriptions of an adapter that accept an event."""

from collections.abc import Callable
from typing import Final

from fes.adapter.context import Subscription
from fes.filter.index import MatchIndex
from fes.model import Event

FEW: Final = 4
"""Most subscriptions that are evaluated one by one, which costs less than the index for so few."""

Accepts = Callable[[Event], bool]


class Matching:
    """Keeps the subscriptions of an adapter, and returns which of them accept an event."""

    def __init__(self) -> None:
        self._subscriptions: dict[int, Subscription] = {}
        self._few: tuple[tuple[int, Accepts], ...] | None = ()
        self._index = MatchIndex[int]()

    def add(self, subscription: Subscription) -> None:
        """Keep a subscription; one of the same number is replaced."""
        self.remove(subscription.number)
        self._subscriptions[subscription.number] = subscription
        self._index.add(subscription.number, subscription.filter.tree)
        self._choose()

    def remove(self, number: int) -> None:
        """Remove a subscription; idempotent."""
        subscription = self._subscriptions.pop(number, None)
        if subscription is not None:
            self._index.remove(number, subscription.filter.tree)
            self._choose()

    def accepted(self, event: Event) -> tuple[int, ...]:
        """Return the numbers of the subscriptions that accept an event."""
        if self._few is not None:
            return tuple([number for number, accepts in self._few if accepts(event)])
        return tuple(sorted(self._index.destinations(event)))

    def _choose(self) -> None:
        held = self._subscriptions.items()
        is_few = len(held) <= FEW
        self._few = (
            tuple((number, each.filter.matches) for number, each in held) if is_few else None
        )
