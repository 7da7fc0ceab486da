"""A stream: a subscription whose deliveries are read with `async for`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Generic, Self, TypeVar

from eventservices.lifetime import Opening
from eventservices.siena.bounded import Bounded

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from eventservices.siena.options import Options
    from eventservices.siena.subscription import AnySubscription

Item = TypeVar("Item")


class Stream(Opening, AsyncIterator[Item], Generic[Item]):
    """What a subscription delivers; `Client.stream` makes it.

    `async with` subscribes and ends the subscription. Reading ends when the subscription does,
    after what was delivered until then.

    Args:
        subscribe: Makes the subscription, with the function that accepts its deliveries.
        cancel: Ends the subscription.
        options: The bound, and what is kept at it.
        drop: Called for each delivery that found no place.
    """

    def __init__(
        self,
        subscribe: Callable[[Callable[[Item], None]], Awaitable[AnySubscription]],
        cancel: Callable[[AnySubscription], Awaitable[None]],
        *,
        options: Options,
        drop: Callable[[], None],
    ) -> None:
        self._subscribe = subscribe
        self._cancel = cancel
        self._drop = drop
        self._items: Bounded[Item] = Bounded(options.stream, options.stream_keep)
        self._news = asyncio.Event()
        self._subscription: AnySubscription | None = None
        self._ended = False

    def __len__(self) -> int:
        """Return how many deliveries wait to be read."""
        return len(self._items)

    @property
    def dropped(self) -> int:
        """Deliveries that found no place because they were not read in time."""
        return self._items.dropped

    @property
    def unproved(self) -> tuple[str, ...]:
        """Servers that did not confirm the subscription in time."""
        return self._subscription.unproved if self._subscription is not None else ()

    async def open(self) -> Self:
        """Subscribe, and return when that is active.

        Raises:
            EventServiceError: As `Client.subscribe`.
        """
        if self._subscription is None and not self._ended:
            self._subscription = await self._subscribe(self._put)
            self._subscription.on_ended = self._end
            if self._subscription.ended:
                self._end()
        return self

    async def close(self) -> None:
        """End the subscription, and forget what was not read; closing twice is harmless."""
        self._items.clear()
        self._end()
        if self._subscription is not None:
            await self._cancel(self._subscription)

    async def __anext__(self) -> Item:
        """Return the next delivery."""
        while not self._items:
            if self._ended:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        return self._items.take()

    def _put(self, item: Item) -> None:
        if not self._items.put(item):
            self._drop()
        self._news.set()

    def _end(self) -> None:
        self._ended = True
        self._news.set()
