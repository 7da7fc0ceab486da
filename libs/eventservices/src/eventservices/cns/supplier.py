"""Proxy consumers: where suppliers connect, push their events and say what they offer."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from eventservices.cns.calls import call_client, optional_operation
from eventservices.cns.codec import encode_any, encode_structured
from eventservices.cns.core import Core
from eventservices.cns.errors import AlreadyConnectedError, DisconnectedError
from eventservices.cns.event import StructuredEvent
from eventservices.cns.event_type import EventType, change_set
from eventservices.cns.options import ObtainInfoMode
from eventservices.cns.value import Value
from eventservices.natsstamp import header_of
from eventservices.stamp import Stamp, Stamper, check

if TYPE_CHECKING:
    from eventservices.cns.admin import SupplierAdmin


class ProxyConsumer:
    """What the proxies for Any and for structured suppliers have in common.

    A supplier is any object, or None. If it has `subscription_change(added, removed)`, that is
    called when the union of all consumers' subscriptions changes; if it has
    `disconnect_push_supplier()`, that is called when the channel goes first.

    Args:
        core: The channel's inside.
        admin: The admin that made it.
        proxy_id: Unique within the admin.

    Attributes:
        my_admin: The admin that made it.
        my_id: Unique within the admin.
        offers: Event types that its supplier offers.
        pushed: Events that it published.
    """

    def __init__(self, core: Core, admin: "SupplierAdmin", proxy_id: int) -> None:
        self.my_admin = admin
        self.my_id = proxy_id
        self.offers: frozenset[EventType] = frozenset()
        self.pushed = 0
        self._core = core
        self._stamper: Stamper | None = None
        self._supplier: object = None
        self._subscription_change: Callable[..., None] | None = None
        self._updates = True
        self._destroyed = False

    @property
    def connected(self) -> bool:
        """Whether a supplier is connected."""
        return self._stamper is not None

    async def offer_change(
        self,
        added: Iterable[EventType | tuple[str, str]],
        removed: Iterable[EventType | tuple[str, str]],
    ) -> None:
        """Say which event types the supplier will push from now on, and which no more.

        Raises:
            InvalidEventTypeError: One of them is not valid; nothing was changed.
            AdminLimitExceededError: There would be too many; nothing was changed.
            DisconnectedError: The proxy was destroyed.
        """
        self._check_alive()
        offers = change_set(self.offers, added, removed)
        self._core.membership.put_offers(self, offers)
        self.offers = offers
        await self._core.membership.tell_changes()

    def obtain_subscription_types(self, mode: ObtainInfoMode) -> tuple[EventType, ...]:
        """Return what consumers subscribe to, and switch the supplier's updates on or off.

        Returns:
            The union of all consumers' types, sorted; empty in the `NONE_NOW` modes.
        """
        self._updates = mode in {
            ObtainInfoMode.ALL_NOW_UPDATES_ON,
            ObtainInfoMode.NONE_NOW_UPDATES_ON,
        }
        if mode in {ObtainInfoMode.NONE_NOW_UPDATES_OFF, ObtainInfoMode.NONE_NOW_UPDATES_ON}:
            return ()
        return self._core.membership.table.subscriptions

    async def destroy(self) -> None:
        """Withdraw the offers and end the proxy, telling its supplier; harmless when repeated."""
        supplier, connected = self._supplier, self.connected
        await self._disconnect()
        if connected:
            call_client(optional_operation(supplier, "disconnect_push_supplier"))

    def _connect(self, supplier: object, origin: str | None, epoch: int | None) -> None:
        self._check_alive()
        if self._stamper is not None:
            raise AlreadyConnectedError(f"proxy {self.my_id} has its supplier already")
        self._subscription_change = optional_operation(supplier, "subscription_change")
        optional_operation(supplier, "disconnect_push_supplier")
        core = self._core
        self._supplier = supplier
        self._stamper = Stamper(
            origin or f"{core.membership.id}/{self.my_admin.my_id}.{self.my_id}",
            core.home,
            epoch=epoch,
            clock_us=core.clock_us,
        )
        core.membership.subscription_sinks.append(self._on_subscriptions)

    async def _disconnect(self) -> None:
        if self._destroyed:
            return
        self._destroyed = True
        self._stamper = None
        if self._on_subscriptions in self._core.membership.subscription_sinks:
            self._core.membership.subscription_sinks.remove(self._on_subscriptions)
        self._core.suppliers -= 1
        self.my_admin.forget(self.my_id)
        self._core.membership.put_offers(self, frozenset())
        await self._core.membership.tell_changes()

    async def _publish(self, payload: bytes, time_us: int | None, stamp: Stamp | None) -> Stamp:
        stamper = self._stamper
        if stamper is None:
            raise DisconnectedError(f"no supplier is connected to proxy {self.my_id}")
        used = stamper.next(time_us) if stamp is None else check(stamp)
        await self._core.link.publish(self._core.subject, payload, header_of(used))
        self.pushed += 1
        return used

    def _check_alive(self) -> None:
        if self._destroyed:
            raise DisconnectedError(f"proxy {self.my_id} was destroyed")

    def _on_subscriptions(
        self, added: tuple[EventType, ...], removed: tuple[EventType, ...]
    ) -> None:
        if self._updates:
            call_client(self._subscription_change, added, removed)


class ProxyPushConsumer(ProxyConsumer):
    """Takes the events of a supplier of Any events."""

    async def connect_any_push_supplier(
        self, supplier: object = None, *, origin: str | None = None, epoch: int | None = None
    ) -> None:
        """Connect a supplier.

        Args:
            supplier: See the class; None where it wants no calls.
            origin: Name in its stamps, unique in the event service; by default a fresh one.
            epoch: Of its stamps; by default the wall clock in microseconds.

        Raises:
            AlreadyConnectedError: There is one.
            DisconnectedError: The proxy was destroyed.
            InterfaceError: An operation of the supplier is no plain function.
            MalformedError: `origin` or `epoch` cannot stand in a stamp.
        """
        self._connect(supplier, origin, epoch)

    async def push(
        self, value: Value, *, time_us: int | None = None, stamp: Stamp | None = None
    ) -> Stamp:
        """Publish an Any event.

        Args:
            value: What the Any carries.
            time_us: Producer's time, microseconds since 1970 UTC; the clock's where None.
            stamp: A whole stamp, where an event is published again under its own identity.

        Returns:
            The event's stamp.

        Raises:
            DisconnectedError: No supplier is connected.
            MalformedError: No Any carries such a value, or the stamp is out of range.
            TooLargeError: The event exceeds what the broker takes.
            NotConnectedError: The broker is away, and the buffer full.
        """
        return await self._publish(encode_any(value), time_us, stamp)

    async def disconnect_push_consumer(self) -> None:
        """Withdraw the offers and end the proxy; harmless when repeated."""
        await self._disconnect()


class StructuredProxyPushConsumer(ProxyConsumer):
    """Takes the events of a supplier of structured events."""

    async def connect_structured_push_supplier(
        self, supplier: object = None, *, origin: str | None = None, epoch: int | None = None
    ) -> None:
        """Connect a supplier; arguments and errors as of `connect_any_push_supplier`."""
        self._connect(supplier, origin, epoch)

    async def push_structured_event(
        self, event: StructuredEvent, *, time_us: int | None = None, stamp: Stamp | None = None
    ) -> Stamp:
        """Publish a structured event; other arguments, result and errors as of `push`."""
        return await self._publish(encode_structured(event), time_us, stamp)

    async def disconnect_structured_push_consumer(self) -> None:
        """Withdraw the offers and end the proxy; harmless when repeated."""
        await self._disconnect()
