"""The adapter's one native consumer: it subscribes to what all subscriptions need together."""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Final

from eventservices.cns import (
    ALL_TYPES,
    ClientType,
    EventChannel,
    EventType,
    StructuredEvent,
    StructuredProxyPushSupplier,
)
from eventservices.cns.notices import MAX_TYPES
from eventservices.stamp import Stamp

Take = Callable[[StructuredEvent, Stamp | None], None]

TOO_MANY: Final = f"more than {MAX_TYPES} event types are subscribed to: all are heard"

_NOTHING: Final[frozenset[EventType]] = frozenset()
_COUNTED: Final = ("delivered", "suppressed", "filtered", "failed")


class Consumer:
    """Consumes the events of a channel while anything is subscribed to.

    Several subscriptions share it, so that an event is handed over once. A native consumer
    without event types would get every event; so there is none as long as nothing is wanted.

    Args:
        channel: The channel.
        take: Called for every event, from the event loop; must not raise.
        always: Event types wanted besides those of subscriptions.
    """

    def __init__(self, channel: EventChannel, take: Take, always: frozenset[EventType]) -> None:
        self._channel = channel
        self._take = take
        self._always = always
        self._wanted: dict[int, frozenset[EventType]] = {}
        self._told = _NOTHING
        self._proxy: StructuredProxyPushSupplier | None = None
        self._past: Counter[str] = Counter(dict.fromkeys(_COUNTED, 0))
        self._changing = asyncio.Lock()

    @property
    def counters(self) -> dict[str, int]:
        """What became of the events so far, by name."""
        return dict(self._past + _counted(self._proxy)) if self._proxy else dict(self._past)

    async def open(self) -> None:
        """Subscribe to what is wanted always.

        Raises:
            EventServiceError: The broker is away.
        """
        async with self._changing:
            await self._tell()

    async def add(self, number: int, types: frozenset[EventType]) -> tuple[str, ...]:
        """Subscribe; a subscription of the same number is replaced.

        Returns:
            What is heard beyond the types, in words.

        Raises:
            EventServiceError: The broker is away, or does not take a type; nothing was changed.
        """
        async with self._changing:
            before = self._wanted.get(number)
            self._wanted[number] = types
            try:
                told = await self._tell()
            except BaseException:
                self._restore(number, before)
                raise
        return (TOO_MANY,) if types - told else ()

    async def remove(self, number: int) -> None:
        """Unsubscribe; harmless where nothing is subscribed to under the number.

        Raises:
            EventServiceError: The broker is away.
        """
        async with self._changing:
            self._wanted.pop(number, None)
            await self._tell()

    def push_structured_event(self, event: StructuredEvent, stamp: Stamp | None) -> None:
        """Take an event; the proxy calls it."""
        self._take(event, stamp)

    def _restore(self, number: int, before: frozenset[EventType] | None) -> None:
        if before is None:
            del self._wanted[number]
        else:
            self._wanted[number] = before

    async def _tell(self) -> frozenset[EventType]:
        types = self._always.union(*self._wanted.values())
        if len(types) > MAX_TYPES:
            types = frozenset({ALL_TYPES})
        if types == self._told:
            return types
        if not types:
            await self._end()
        elif self._proxy is None:
            await self._begin(types)
        else:
            await self._proxy.subscription_change(types - self._told, self._told - types)
        self._told = types
        return types

    async def _begin(self, types: frozenset[EventType]) -> None:
        admin = self._channel.default_consumer_admin
        proxy = admin.obtain_notification_push_supplier(ClientType.STRUCTURED_EVENT)
        try:
            await proxy.subscription_change(types, ())
            await proxy.connect_structured_push_consumer(self)
        except BaseException:
            await proxy.disconnect_structured_push_supplier()
            raise
        self._proxy = proxy

    async def _end(self) -> None:
        proxy, self._proxy = self._proxy, None
        self._told = _NOTHING
        if proxy is not None:
            self._past += _counted(proxy)
            await proxy.disconnect_structured_push_supplier()


def _counted(proxy: StructuredProxyPushSupplier) -> Counter[str]:
    return Counter({name: getattr(proxy, name) for name in _COUNTED})
