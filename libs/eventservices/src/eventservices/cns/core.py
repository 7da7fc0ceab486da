"""What the admins and proxies of one channel share."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from eventservices.cns.background import Background
from eventservices.cns.dispatch import Dispatcher
from eventservices.cns.errors import AdminLimitExceededError, ImplLimitError
from eventservices.cns.membership import Membership
from eventservices.cns.options import ChannelOptions
from eventservices.cns.persistent.store import Store
from eventservices.cns.qos.admin_holder import AdminProperties
from eventservices.cns.queueing import Item
from eventservices.natslink import NatsLink


@dataclass(slots=True, eq=False)
class Core:
    """The inside of a channel.

    Attributes:
        name: The channel's name.
        home: Name of the event service in the stamps made here.
        subject: NATS subject of its best-effort events.
        link: The connection.
        membership: Offers and subscriptions.
        dispatcher: Events.
        store: Persistent events.
        background: Runs what plain functions start.
        options: The client's choices.
        clock_us: Producer's time for stamps, and the time by which events start and end; the wall
            clock where None.
        admin: Administrative properties.
        persistent_events: Whether events are persistent whose header does not specify it.
        consumers: Proxies for consumers that exist.
        suppliers: Proxies for suppliers that exist.
        waiting: Events that wait in all queues together.
        refused: Events that came, or were pushed, while as many waited as may.
    """

    name: str
    home: str
    subject: str
    link: NatsLink
    membership: Membership
    dispatcher: Dispatcher
    store: Store
    background: Background
    options: ChannelOptions
    clock_us: Callable[[], int] | None
    admin: AdminProperties
    persistent_events: bool = field(default=False)
    consumers: int = field(default=0)
    suppliers: int = field(default=0)
    waiting: int = field(default=0)
    refused: int = field(default=0)

    @property
    def full(self) -> bool:
        """Whether as many events wait as may wait altogether."""
        limit = self.admin.max_queue_length
        return bool(limit) and self.waiting >= limit

    @property
    def taken(self) -> bool:
        """Whether as many events wait, or were accepted and have not come yet, as may wait."""
        limit = self.admin.max_queue_length
        return bool(limit) and self.waiting + len(self.dispatcher.in_flight) >= limit

    @property
    def overfull(self) -> bool:
        """Whether more events wait than may wait altogether, and the surplus is discarded."""
        limit = self.admin.max_queue_length
        return bool(limit) and not self.admin.reject_new_events and self.waiting > limit

    @property
    def stored(self) -> bool:
        """Whether the broker can keep events."""
        return self.link.jetstream

    def now_us(self) -> int:
        """Return the time by which events start and end, microseconds since 1970 UTC."""
        return time.time_ns() // 1000 if self.clock_us is None else self.clock_us()

    def find_place(self, item: Item) -> bool:
        """Return whether an event may wait, and use up the place that was reserved for it.

        One that was accepted from a supplier here has a place, once, for whichever consumer comes
        first. One that its store keeps needs none: there the store's own bound applies.
        """
        if not self.admin.reject_new_events or not self.taken or item.receipt is not None:
            return True
        in_flight = self.dispatcher.in_flight
        if item.stamp is None or item.stamp.identity not in in_flight:
            return False
        in_flight.end(item.stamp.identity)
        return True

    async def check_room(self) -> None:
        """Refuse an event that a supplier pushes while as many as may wait or are in transit.

        Where events in transit fill the channel, they are first waited for: a consumer
        that keeps up leaves room for the next.

        Raises:
            ImplLimitError: They do, and the channel rejects new events.
            NotConnectedError: The events in transit did not arrive in time.
        """
        if not self.admin.reject_new_events or not self.taken:
            return
        if not self.full:
            on_their_way = self.dispatcher.in_flight.snapshot()
            await self.link.flush()
            self.dispatcher.in_flight.forget(on_their_way)
        if self.taken:
            self.refused += 1
            raise ImplLimitError(f"MaxQueueLength is {self.admin.max_queue_length}, and reached")

    def admit_consumer(self) -> None:
        """Count one more proxy for a consumer.

        Raises:
            AdminLimitExceededError: There are as many as may be.
        """
        limit = _smaller(self.admin.max_consumers, self.options.max_consumers)
        if self.consumers >= limit:
            raise AdminLimitExceededError("MaxConsumers", limit)
        self.consumers += 1

    def admit_supplier(self) -> None:
        """Count one more proxy for a supplier.

        Raises:
            AdminLimitExceededError: There are as many as may be.
        """
        limit = _smaller(self.admin.max_suppliers, self.options.max_suppliers)
        if self.suppliers >= limit:
            raise AdminLimitExceededError("MaxSuppliers", limit)
        self.suppliers += 1


def _smaller(property_value: int, option: int) -> int:
    return min(property_value, option) if property_value else option
