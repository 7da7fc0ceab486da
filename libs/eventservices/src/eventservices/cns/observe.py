"""An observer for people: one JSON line for everything that happens on channels.

It subscribes to everything, but unannounced, so that suppliers do not notice it.
"""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

from serving.output import show

from eventservices.cns.channel import EventChannel
from eventservices.cns.connection import Connection
from eventservices.cns.event import AnyEvent, StructuredEvent
from eventservices.cns.event_type import ANY_TYPE, EventType
from eventservices.cns.options import ClientType
from eventservices.cns.show import show_event, show_member, show_stamp, show_types
from eventservices.stamp import Stamp

SETTLE_S = 0.3
"""Time in which the members of a channel may answer a newcomer."""


def write_line(record: dict[str, Any]) -> None:
    """Write one JSON line to standard output."""
    show(json.dumps(record, ensure_ascii=False))


class Observer:
    """Reports what it sees on one channel; it is a consumer and a supplier at once.

    Args:
        channel: Name of the channel.
        write: Is called with each record.
        seen: Set after each event.

    Attributes:
        events: Events seen.
    """

    def __init__(
        self, channel: str, write: Callable[[dict[str, Any]], None], seen: asyncio.Event
    ) -> None:
        self.channel = channel
        self.events = 0
        self._write = write
        self._seen = seen

    def push_structured_event(self, event: StructuredEvent, stamp: Stamp | None) -> None:
        """Report an event."""
        plain = event.event_type == ANY_TYPE
        shown = show_event(AnyEvent(event.remainder_of_body) if plain else event)
        self._tell("event", stamp=show_stamp(stamp), **shown)
        self.events += 1
        self._seen.set()

    def offer_change(self, added: tuple[EventType, ...], removed: tuple[EventType, ...]) -> None:
        """Report a change of what suppliers offer."""
        self._tell("offer_change", added=show_types(added), removed=show_types(removed))

    def subscription_change(
        self, added: tuple[EventType, ...], removed: tuple[EventType, ...]
    ) -> None:
        """Report a change of what consumers subscribe to."""
        self._tell("subscription_change", added=show_types(added), removed=show_types(removed))

    async def attach(self, channel: EventChannel) -> None:
        """List the members that the channel has, then watch it."""
        await asyncio.sleep(SETTLE_S)
        for member in channel.others:
            self._tell("member", **show_member(member))
        supplier = channel.default_supplier_admin.obtain_notification_push_consumer(
            ClientType.STRUCTURED_EVENT
        )
        await supplier.connect_structured_push_supplier(self)
        consumer = channel.default_consumer_admin.obtain_notification_push_supplier(
            ClientType.STRUCTURED_EVENT
        )
        await consumer.connect_structured_push_consumer(self, announced=False)
        self._tell("ready")

    def _tell(self, seen: str, **record: Any) -> None:
        self._write({"seen": seen, "channel": self.channel, **record})


async def observe(
    url: str,
    channels: Sequence[str],
    count: int = 0,
    write: Callable[[dict[str, Any]], None] = write_line,
) -> None:
    """Watch channels until cancelled, or until `count` events were seen.

    Args:
        url: Address of the NATS server.
        channels: Names of channels.
        count: Events after which to end; 0 for never.
        write: Is called with each record.

    Raises:
        NotConnectedError: The broker is away.
    """
    async with Connection(url, name="cns-observer") as connection:
        seen = asyncio.Event()
        observers = [Observer(name, write, seen) for name in channels]
        opened = [await connection.open_channel(name) for name in channels]
        await asyncio.gather(
            *(o.attach(channel) for o, channel in zip(observers, opened, strict=True))
        )
        while not count or sum(observer.events for observer in observers) < count:
            await seen.wait()
            seen.clear()
