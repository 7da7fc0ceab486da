"""Native subscriptions: one for each filter that no other covers.

A covered filter receives its events through the subscription that covers it. Before that one ends,
the native subscriptions that are needed in its place are made, so that no event is missed.
"""

from collections.abc import Iterable
from itertools import count

from fes.adapter.base import AnyAdapter
from fes.adapter.context import Subscription
from fes.errors import FesError
from fes.filter import Filter
from fes.filter.algebra.maximal import Change, Maximal

Lost = tuple[tuple[int, ...], FesError]
"""Numbers of subscriptions that could not be made natively after all, and why."""


class Natives:
    """Makes an adapter subscribe to as little as all filters need together.

    Equal filters are one native subscription, which ends with the last of them.

    Args:
        adapter: Subscribes and unsubscribes.

    Attributes:
        keeps: Whether nothing is withdrawn for now, since more changes follow.
    """

    def __init__(self, adapter: AnyAdapter) -> None:
        self.keeps = False
        self._adapter = adapter
        self._numbers = count(1)
        self.forget()

    def forget(self) -> None:
        """Forget everything: the native connection is closed."""
        self._users: dict[str, dict[int, Filter]] = {}
        self._maximal = Maximal[str]()
        self._held: dict[str, Subscription] = {}
        self._missing: dict[str, None] = {}
        self._surplus: dict[str, None] = {}
        self._widened: dict[str, tuple[str, ...]] = {}

    @property
    def counters(self) -> dict[str, int]:
        """Number of filters with native subscriptions of their own, and of filters without."""
        return {
            "maximal_subscriptions": len(self._held),
            "covered_subscriptions": self._maximal.covered,
        }

    @property
    def settled(self) -> bool:
        """Whether the native subscriptions are those that are needed."""
        return not (self._missing or self._surplus)

    def stands_alone(self, filter_: Filter) -> bool:
        """Return whether a filter has a native subscription of its own."""
        return filter_.canonical in self._held

    async def add(self, number: int, filter_: Filter) -> tuple[tuple[str, ...], list[Lost]]:
        """Subscribe natively where needed, so that at least what a filter accepts is received.

        Args:
            number: Identifies the subscription.
            filter_: Its filter.

        Returns:
            Descriptions of what is received beyond the filter; and the subscriptions that were
            lost, which there are only where some had to be made again.

        Raises:
            FesError: As for the adapter; then nothing was changed.
        """
        key = filter_.canonical
        self._users.setdefault(key, {})[number] = filter_
        self._note(self._maximal.add(key, filter_.tree))
        try:
            lost = await self._make(key)
        except BaseException:
            self._leave(key, number)
            raise
        await self._end_surplus_if_possible()
        return self._beyond(key), lost

    async def remove(self, number: int, filter_: Filter) -> list[Lost]:
        """Withdraw what only this filter needs; idempotent.

        Raises:
            FesError: As for the adapter; all that was received is still received. Another call
                continues.
        """
        self._leave(filter_.canonical, number)
        return await self.settle()

    async def settle(self) -> list[Lost]:
        """Subscribe to what is needed, then withdraw what is not.

        Raises:
            FesError: As for the adapter; another call continues.
        """
        lost = await self._make()
        await self._end_surplus()
        return lost

    def covered_last(self, filters: Iterable[tuple[int, Filter]]) -> list[int]:
        """Return the numbers in an order in which their withdrawal makes no other subscription."""
        return [
            number for number, _ in sorted(filters, key=lambda each: self.stands_alone(each[1]))
        ]

    def _leave(self, key: str, number: int) -> None:
        users = self._users.get(key, {})
        users.pop(number, None)
        if not users:
            self._users.pop(key, None)
            self._note(self._maximal.remove(key))

    def _note(self, change: Change[str]) -> None:
        """Note which native subscriptions are needed, and which no longer are."""
        for key in change.add:
            self._surplus.pop(key, None)
            if key not in self._held:
                self._missing[key] = None
        for key in change.drop:
            self._missing.pop(key, None)
            if key in self._held:
                self._surplus[key] = None

    async def _make(self, fresh: str | None = None) -> list[Lost]:
        """Subscribe to what is needed and missing; abandon what the service does not accept."""
        lost: list[Lost] = []
        if len(self._missing) > 1:
            missing = (next(iter(self._users[key].values())) for key in tuple(self._missing))
            await self._adapter.prepare(missing)
        while self._missing:
            key = next(iter(self._missing))
            try:
                await self._subscribe(key)
            except FesError as error:
                if error.retryable or key == fresh:
                    raise
                lost.append((self._give_up(key), error))
        return lost

    async def _subscribe(self, key: str) -> None:
        filter_ = next(iter(self._users[key].values()))
        subscription = Subscription(next(self._numbers), filter_)
        self._widened[key] = await self._adapter.subscribe(subscription)
        self._held[key] = subscription
        self._missing.pop(key, None)

    def _give_up(self, key: str) -> tuple[int, ...]:
        numbers = tuple(self._users.pop(key))
        self._note(self._maximal.remove(key))
        return numbers

    async def _end_surplus(self) -> None:
        if self.keeps:
            return
        failure: Exception | None = None
        for key in list(self._surplus):
            try:
                await self._adapter.unsubscribe(self._held[key])
            except Exception as error:  # noqa: BLE001 - those behind it are to be withdrawn
                failure = failure or error
            else:
                del self._held[key], self._widened[key], self._surplus[key]
        if failure is not None:
            raise failure

    async def _end_surplus_if_possible(self) -> None:
        try:
            await self._end_surplus()
        except FesError:
            return  # still received for a while: `settled` is false, so a later call withdraws it

    def _beyond(self, key: str) -> tuple[str, ...]:
        cover = self._maximal.cover_of(key)
        if cover is None:
            return self._widened.get(key, ())
        received = f"received by the native subscription to {cover[:200]}"
        return (received, *self._widened.get(cover, ()))
