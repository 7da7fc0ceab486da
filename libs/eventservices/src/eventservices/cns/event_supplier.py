"""One supplier of events in both forms, structured and Any, that offers event types by count."""

import asyncio
from collections import Counter

from eventservices.cns import (
    AnyEvent,
    ClientType,
    EventChannel,
    EventType,
    StructuredEvent,
)
from eventservices.cns.event_type import canonical
from eventservices.stamp import Stamp


class EventSupplier:
    """Pushes events on a channel, structured ones and Anys.

    Args:
        channel: The channel.
    """

    def __init__(self, channel: EventChannel) -> None:
        admin = channel.default_supplier_admin
        self._any = admin.obtain_notification_push_consumer(ClientType.ANY_EVENT)
        self._structured = admin.obtain_notification_push_consumer(ClientType.STRUCTURED_EVENT)
        self._offered: Counter[EventType] = Counter()
        self._changing = asyncio.Lock()

    @property
    def counters(self) -> dict[str, int]:
        """Events pushed, by form."""
        return {"pushed_any": self._any.pushed, "pushed_structured": self._structured.pushed}

    async def open(self) -> None:
        """Connect to the channel."""
        await self._any.connect_any_push_supplier()
        await self._structured.connect_structured_push_supplier()

    async def push(self, event: AnyEvent | StructuredEvent, stamp: Stamp) -> None:
        """Publish an event under the stamp that it has.

        Raises:
            EventServiceError: The broker is away, or does not accept the event.
        """
        if isinstance(event, AnyEvent):
            await self._any.push(event.value, stamp=stamp)
        else:
            await self._structured.push_structured_event(event, stamp=stamp)

    async def offer(self, event_type: EventType) -> None:
        """Offer an event type; each offer is withdrawn by itself.

        Raises:
            EventServiceError: The channel does not accept it; nothing was changed.
        """
        offered = canonical(event_type)
        async with self._changing:
            await self._structured.offer_change([offered], [])
            self._offered[offered] += 1

    async def withdraw(self, event_type: EventType) -> None:
        """Withdraw an offer; harmless where there is none."""
        offered = canonical(event_type)
        async with self._changing:
            if self._offered[offered] == 1:
                await self._structured.offer_change([], [offered])
            self._offered[offered] -= 1
            self._offered = +self._offered
