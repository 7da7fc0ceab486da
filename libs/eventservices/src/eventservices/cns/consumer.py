"""Proxy suppliers: where consumers connect and receive events."""

from abc import abstractmethod
from typing import TYPE_CHECKING

from eventservices.cns.calls import call_client, optional_operation
from eventservices.cns.core import Core
from eventservices.cns.errors import AlreadyConnectedError
from eventservices.cns.event import Event
from eventservices.cns.event_type import EventType
from eventservices.cns.mapping import EventMapping, Mappings
from eventservices.cns.moved import Moved
from eventservices.cns.outlet import Outlet
from eventservices.cns.qos.terms import Terms
from eventservices.cns.queueing import Item, Receipt
from eventservices.cns.subscriber import Subscriber
from eventservices.stamp import Stamp
from eventservices.suppress import Suppressor

if TYPE_CHECKING:
    from eventservices.cns.consumer_admin import ConsumerAdmin
    from eventservices.cns.persistent.durable import Durable

_NOTHING: frozenset[EventType] = frozenset()


class ProxySupplier(Subscriber):
    """What the proxies for consumers have in common: events wait until they are delivered.

    Args:
        core: The channel's inside.
        admin: The admin that made it.
        proxy_id: Unique within the admin.

    Attributes:
        priority_filter: Sets the priority of events here; the admin's where None.
        lifetime_filter: Sets the timeout of events here, units of 100 ns; the admin's where None.
        filtered: Events that its consumer did not request.
        repetitions: Whether the consumer receives an event again that comes by a second route.
    """

    _farewell = "disconnect_push_consumer"

    def __init__(self, core: Core, admin: "ConsumerAdmin", proxy_id: int) -> None:
        super().__init__(core, admin, proxy_id)
        self.priority_filter: EventMapping | None = None
        self.lifetime_filter: EventMapping | None = None
        self.filtered = 0
        self.repetitions = False
        self._connected = False
        self._consumer: object = None
        self._suppressor = Suppressor(core.options.window, core.options.origins)
        self._mappings = Mappings(default_first=core.options.mapping_default_first)
        self._terms = Terms.of(self._qos)
        self._outlet = self._make_outlet()
        self._durable: Durable | None = None

    @property
    def connected(self) -> bool:
        """Whether a consumer is connected."""
        return self._connected

    @property
    def suppressed(self) -> int:
        """Events not delivered because the consumer had had them."""
        return self._suppressor.suppressed

    @property
    def delivered(self) -> int:
        """Events delivered to the consumer."""
        return self._outlet.delivered

    @property
    def failed(self) -> int:
        """Events on which the consumer raised."""
        return self._outlet.failed

    @property
    def discarded(self) -> int:
        """Events that a full queue discarded, or that waited when the consumer left."""
        return self._outlet.discarded

    @property
    def expired(self) -> int:
        """Events whose time was over before they could be delivered."""
        return self._outlet.expired

    @property
    def mapping_errors(self) -> int:
        """Results of mapping filters that could not be used."""
        return self._mappings.failed

    @property
    def pending(self) -> int:
        """Events that wait here."""
        return self._outlet.pending

    async def destroy(self) -> None:
        """End the proxy for good, and notify its consumer; idempotent.

        A durable name is forgotten, with the events that wait under it.
        """
        await self._end(forget=True, tell=True)

    async def close(self) -> None:
        """End the proxy, and notify its consumer; events go on waiting under a durable name."""
        await self._end(forget=False, tell=True)

    def receive(self, event: Event, stamp: Stamp | None, moved: Moved | None = None) -> None:
        """Accept an event that came just now; one that the consumer has received is ignored."""
        if not self._connected:
            return
        accepts = self._accepts
        if accepts is not None and not accepts(event):
            self.filtered += 1
        elif stamp is None or not self._repeated(stamp):
            self._take(event, stamp, moved)

    def receive_stored(
        self,
        event: Event,
        stamp: Stamp | None,
        moved: Moved | None,
        received_us: int,
        receipt: Receipt,
    ) -> None:
        """Accept an event from the store of persistent ones.

        Args:
            event: The event.
            stamp: Its stamp.
            moved: How it came through connected channels.
            received_us: When the channel received it, microseconds since 1970 UTC.
            receipt: Is notified when the consumer has had it.
        """
        if self._accepts is not None and not self._accepts(event):
            self.filtered += 1
            receipt.done()
        elif stamp is not None and self._repeated(stamp):
            receipt.done()
        else:
            self._outlet.put(self._item(event, stamp, moved, received_us, receipt))

    @abstractmethod
    def _make_outlet(self) -> Outlet:
        """Return where events wait for the consumer."""

    def _take(self, event: Event, stamp: Stamp | None, moved: Moved | None) -> None:
        self._outlet.put(self._item(event, stamp, moved, self._core.now_us(), None))

    def _repeated(self, stamp: Stamp) -> bool:
        return not self.repetitions and self._suppressor.repeated(stamp)

    def _item(
        self,
        event: Event,
        stamp: Stamp | None,
        moved: Moved | None,
        received_us: int,
        receipt: Receipt | None,
    ) -> Item:
        admin = self.my_admin
        mapped = self._mappings.apply(
            event,
            self.priority_filter or admin.priority_filter,
            self.lifetime_filter or admin.lifetime_filter,
        )
        found = self._terms.appraise(event, received_us, mapped)
        return Item(
            event,
            stamp,
            found.priority,
            found.deadline_us,
            found.expires_us,
            found.start_us,
            receipt,
            moved,
            received_us,
        )

    def _qos_changed(self) -> None:
        self._terms = Terms.of(self._qos)
        self._outlet.configure(self._terms)

    async def _connect(
        self, consumer: object, *, announced: bool, durable: str, repetitions: bool
    ) -> None:
        self._check_alive()
        if self._connected:
            raise AlreadyConnectedError(f"proxy {self.my_id} has its consumer already")
        self._check_durable(durable)
        self._offer_change = optional_operation(consumer, "offer_change")
        optional_operation(consumer, self._farewell)
        self._consumer, self._connected, self._announced = consumer, True, announced
        self.repetitions = repetitions
        sinks = self._core.membership.offer_sinks
        sinks.append(self._on_offers)
        try:
            await self._attach(durable)
            self._check_alive()
            self.refresh()
        except BaseException:
            self._consumer, self._connected = None, False
            if not self._destroyed:
                sinks.remove(self._on_offers)
                await self._detach(forget=False)
            raise
        await self._core.membership.tell_changes()

    async def _attach(self, durable: str) -> None:
        persistent = self._terms.persistent
        if persistent:
            self._durable = await self._core.store.consume(self, durable)
        await self._core.dispatcher.attach(self, kept=not persistent)

    async def _detach(self, *, forget: bool) -> None:
        held, self._durable = self._durable, None
        if held is not None:
            await held.close(forget=forget)
        await self._core.dispatcher.detach(self)

    async def _end(self, *, forget: bool, tell: bool) -> None:
        if self._destroyed:
            return
        self._destroyed = True
        consumer, connected = self._consumer, self._connected
        self._connected = False
        membership = self._core.membership
        if self._on_offers in membership.offer_sinks:
            membership.offer_sinks.remove(self._on_offers)
        self._core.consumers -= 1
        self.my_admin.forget(self.my_id)
        self._forget_filters()
        membership.put_subscriptions(self, _NOTHING)
        await membership.tell_changes()
        await self._detach(forget=forget)
        self._outlet.close()
        if tell and connected:
            call_client(optional_operation(consumer, self._farewell))

    def _gone(self) -> None:
        """End the proxy because its consumer reported that it is gone."""
        self._connected = False
        self._core.background.start(self._end(forget=True, tell=False))
