"""Proxy suppliers: where consumers connect, are given events and say what they subscribe to."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from eventservices.cns.calls import call_client, operation, optional_operation
from eventservices.cns.core import Core
from eventservices.cns.errors import (
    AdminLimitExceededError,
    AlreadyConnectedError,
    DisconnectedError,
)
from eventservices.cns.event import AnyEvent, StructuredEvent, as_any, as_structured
from eventservices.cns.event_type import ALL_TYPES, EventType, TypeFilter, change_set
from eventservices.cns.options import InterFilterGroupOperator, ObtainInfoMode
from eventservices.stamp import Stamp
from eventservices.suppress import Suppressor

if TYPE_CHECKING:
    from eventservices.cns.admin import ConsumerAdmin

_NOTHING: frozenset[EventType] = frozenset()


class ProxySupplier(ABC):
    """What the proxies for Any and for structured consumers have in common.

    A consumer without subscriptions, its own or its admin's, gets every event. Events are handed
    over by plain calls from the event loop, which must not block; what a consumer raises is logged
    and counted, and the next event comes. If it has `offer_change(added, removed)`, that is called
    when the union of all suppliers' offers changes; if it has `disconnect_push_consumer()`, that
    is called when the channel goes first.

    Args:
        core: The channel's inside.
        admin: The admin that made it.
        proxy_id: Unique within the admin.

    Attributes:
        my_admin: The admin that made it.
        my_id: Unique within the admin.
        subscriptions: Event types that its consumer subscribes to.
        delivered: Events given to the consumer.
        filtered: Events that it does not subscribe to.
        failed: Events on which the consumer raised.
    """

    def __init__(self, core: Core, admin: "ConsumerAdmin", proxy_id: int) -> None:
        self.my_admin = admin
        self.my_id = proxy_id
        self.subscriptions = _NOTHING
        self.delivered = 0
        self.filtered = 0
        self.failed = 0
        self._core = core
        self._consumer: object = None
        self._push: Callable[..., None] | None = None
        self._offer_change: Callable[..., None] | None = None
        self._announced = True
        self._updates = True
        self._destroyed = False
        self._suppressor = Suppressor(core.options.window, core.options.origins)
        self._filter = TypeFilter(admin.subscriptions, _NOTHING, both=True)

    @property
    def connected(self) -> bool:
        """Whether a consumer is connected."""
        return self._push is not None

    @property
    def suppressed(self) -> int:
        """Events not delivered because the consumer had had them."""
        return self._suppressor.suppressed

    async def subscription_change(
        self,
        added: Iterable[EventType | tuple[str, str]],
        removed: Iterable[EventType | tuple[str, str]],
    ) -> None:
        """Say which event types the consumer wants from now on, and which no more.

        Patterns are compared literally; see `event_type`. When the last one is removed, the
        consumer gets every event again.

        Raises:
            InvalidEventTypeError: One of them is not valid; nothing was changed.
            AdminLimitExceededError: There would be too many; nothing was changed.
            DisconnectedError: The proxy was destroyed.
        """
        self._check_alive()
        before = self.subscriptions
        self.subscriptions = change_set(before, added, removed)
        try:
            self.refresh()
        except AdminLimitExceededError:
            self.subscriptions = before
            raise
        await self._core.membership.tell_changes()

    def obtain_offered_types(self, mode: ObtainInfoMode) -> tuple[EventType, ...]:
        """Return what suppliers offer, and switch the consumer's updates on or off.

        Returns:
            The union of all suppliers' types, sorted; empty in the `NONE_NOW` modes.
        """
        self._updates = mode in {
            ObtainInfoMode.ALL_NOW_UPDATES_ON,
            ObtainInfoMode.NONE_NOW_UPDATES_ON,
        }
        if mode in {ObtainInfoMode.NONE_NOW_UPDATES_OFF, ObtainInfoMode.NONE_NOW_UPDATES_ON}:
            return ()
        return self._core.membership.table.offers

    def refresh(self) -> None:
        """Apply the subscriptions of proxy and admin as they are now.

        Raises:
            AdminLimitExceededError: The client would subscribe to too many types; nothing was
                changed.
        """
        self._core.membership.put_subscriptions(self, self._to_tell())
        both = self.my_admin.my_operator is InterFilterGroupOperator.AND_OP
        self._filter = TypeFilter(self.my_admin.subscriptions, self.subscriptions, both=both)

    async def destroy(self) -> None:
        """End the proxy, telling its consumer; harmless when repeated."""
        consumer, connected = self._consumer, self.connected
        await self._disconnect()
        if connected:
            call_client(optional_operation(consumer, "disconnect_push_consumer"))

    def receive(self, event: AnyEvent | StructuredEvent, stamp: Stamp | None) -> None:
        """Hand an event to the consumer, if it wants it and has not had it."""
        push = self._push
        if push is None:
            return
        if not self._filter.accepts(event.event_type):
            self.filtered += 1
            return
        if stamp is not None and self._suppressor.repeated(stamp):
            return
        self.delivered += 1
        if not call_client(push, self._in_form(event), stamp):
            self.failed += 1

    @abstractmethod
    def _in_form(self, event: AnyEvent | StructuredEvent) -> object:
        """Return an event in the form that the consumer takes."""

    def _to_tell(self) -> frozenset[EventType]:
        if not self._announced:
            return _NOTHING
        everything = self.connected and not self.my_admin.subscriptions
        return self.subscriptions or (frozenset({ALL_TYPES}) if everything else _NOTHING)

    async def _connect(self, consumer: object, name: str, *, announced: bool) -> None:
        self._check_alive()
        if self._push is not None:
            raise AlreadyConnectedError(f"proxy {self.my_id} has its consumer already")
        push = operation(consumer, name)
        self._offer_change = optional_operation(consumer, "offer_change")
        optional_operation(consumer, "disconnect_push_consumer")
        self._consumer, self._push, self._announced = consumer, push, announced
        sinks = self._core.membership.offer_sinks
        sinks.append(self._on_offers)
        try:
            await self._core.dispatcher.attach(self)
            self._check_alive()
            self.refresh()
        except BaseException:
            self._consumer, self._push = None, None
            if not self._destroyed:
                sinks.remove(self._on_offers)
                await self._core.dispatcher.detach(self)
            raise
        await self._core.membership.tell_changes()

    async def _disconnect(self) -> None:
        if self._destroyed:
            return
        self._destroyed = True
        self._push = None
        if self._on_offers in self._core.membership.offer_sinks:
            self._core.membership.offer_sinks.remove(self._on_offers)
        self._core.consumers -= 1
        self.my_admin.forget(self.my_id)
        self._core.membership.put_subscriptions(self, _NOTHING)
        await self._core.membership.tell_changes()
        await self._core.dispatcher.detach(self)

    def _check_alive(self) -> None:
        if self._destroyed:
            raise DisconnectedError(f"proxy {self.my_id} was destroyed")

    def _on_offers(self, added: tuple[EventType, ...], removed: tuple[EventType, ...]) -> None:
        if self._updates:
            call_client(self._offer_change, added, removed)


class ProxyPushSupplier(ProxySupplier):
    """Gives a consumer Any events: its operation `push(value, stamp)` is called."""

    async def connect_any_push_consumer(self, consumer: object, *, announced: bool = True) -> None:
        """Connect a consumer; when this returns, the server has its subscription.

        Args:
            consumer: See the class. `stamp` is None for events that were published without one.
            announced: Whether suppliers are told of its subscriptions; an observer stays unseen.

        Raises:
            AlreadyConnectedError: There is one.
            DisconnectedError: The proxy was destroyed.
            InterfaceError: The consumer lacks `push`, or one of its operations is a coroutine.
            NotConnectedError: The broker did not confirm in time; nothing was changed.
        """
        await self._connect(consumer, "push", announced=announced)

    async def disconnect_push_supplier(self) -> None:
        """Withdraw the subscriptions and end the proxy; harmless when repeated."""
        await self._disconnect()

    def _in_form(self, event: AnyEvent | StructuredEvent) -> object:
        return as_any(event)


class StructuredProxyPushSupplier(ProxySupplier):
    """Gives a consumer structured events: `push_structured_event(event, stamp)` is called."""

    async def connect_structured_push_consumer(
        self, consumer: object, *, announced: bool = True
    ) -> None:
        """Connect a consumer; arguments and errors as of `connect_any_push_consumer`."""
        await self._connect(consumer, "push_structured_event", announced=announced)

    async def disconnect_structured_push_supplier(self) -> None:
        """Withdraw the subscriptions and end the proxy; harmless when repeated."""
        await self._disconnect()

    def _in_form(self, event: AnyEvent | StructuredEvent) -> object:
        return as_structured(event)
