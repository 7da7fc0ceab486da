"""Looks ahead at the subscriptions that are ordered, so that an adapter begins them together."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress

from fes.adapter.base import AnyAdapter
from fes.adapter.context import Subscription
from fes.errors import FesError
from fes.filter import Filter
from fes.link.messages import Desired, Order, Subscribe


class Ahead:
    """Has an adapter begin the subscriptions that wait, before the first of them is made.

    Where an event service needs as long for one subscription as for a hundred, those that come
    while it makes one are made together; they are completed one after the other, as always.

    Args:
        adapter: One that `prepares`.
        held: Active subscriptions, by number.
    """

    def __init__(self, adapter: AnyAdapter, held: Mapping[int, Subscription]) -> None:
        self._adapter = adapter
        self._held = held
        self._begun: set[int] = set()

    async def look(self, order: Order, waiting: Callable[[], Iterable[Subscribe]]) -> None:
        """Begin what an order and those behind it need, unless that was done.

        Args:
            order: Performed next.
            waiting: Returns the subscriptions that wait behind it.
        """
        match order:
            case Subscribe() if order.number not in self._begun:
                behind = tuple(waiting())
                await self._begin((order, *behind))
                self._begun.update(each.number for each in behind)
            case Subscribe():
                self._begun.discard(order.number)
            case Desired():
                await self._begin(order.subscriptions)
            case _:
                self._end(waiting())

    async def again(self, failed: Iterable[Order], waiting: Iterable[Subscribe]) -> None:
        """Begin what failed and is to be made again; end what was begun and is not needed.

        Args:
            failed: Orders that are performed next.
            waiting: The subscriptions that wait behind them.
        """
        self._end(waiting)
        await self._begin(failed)

    def forget(self) -> None:
        """Forget what was begun: the native connection is closed."""
        self._begun.clear()

    async def _begin(self, orders: Iterable[Order]) -> None:
        fresh = (each for each in orders if isinstance(each, Subscribe))
        await self._adapter.prepare(self._filters(fresh))

    def _end(self, waiting: Iterable[Subscribe]) -> None:
        """End what was begun and is not needed, once no subscription waits."""
        if any(True for _ in waiting):
            return
        self._begun.clear()
        self._adapter.end_prepared()

    def _filters(self, orders: Iterable[Subscribe]) -> Iterator[Filter]:
        for each in orders:
            held = self._held.get(each.number)
            if held is None or held.filter.text != each.filter:
                with suppress(FesError):  # it is refused when it is made
                    yield Filter.of(each.filter)
