"""Proxy consumers: where suppliers connect, send their events and declare what they offer."""

import asyncio
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from eventservices.cns.calls import call_client, optional_operation
from eventservices.cns.codec import encode
from eventservices.cns.core import Core
from eventservices.cns.errors import AlreadyConnectedError, DisconnectedError
from eventservices.cns.event import Event, StructuredEvent
from eventservices.cns.event_type import EventType, change_set
from eventservices.cns.gate import Accepts, gate
from eventservices.cns.moved import Moved, header_of_moved
from eventservices.cns.options import ObtainInfoMode
from eventservices.cns.persistent.publisher import stored
from eventservices.cns.proxy import Proxy
from eventservices.cns.qos.properties import QoS
from eventservices.cns.qos.terms import own_reliability
from eventservices.natsstamp import header_of
from eventservices.stamp import Stamp, Stamper, check

if TYPE_CHECKING:
    from eventservices.cns.supplier_admin import SupplierAdmin

Storing = asyncio.Future[Exception | None]
"""Is done when the broker keeps an event, or has refused it."""


class ProxyConsumer(Proxy):
    """What the proxies for suppliers have in common.

    A supplier is any object. If it has `subscription_change(added, removed)`, that is called when
    the union of all consumers' subscriptions changes.

    Args:
        core: The channel's inside.
        admin: The admin that made it.
        proxy_id: Unique within the admin.

    Attributes:
        my_admin: The admin that made it.
        offers: Event types that its supplier offers.
        pushed: Events that it published.
        filtered: Events that its filters, or its admin's, did not let pass.
        degraded: Events that were to be persistent, and went over a best-effort connection.
    """

    _farewell = "disconnect_push_supplier"

    def __init__(self, core: Core, admin: "SupplierAdmin", proxy_id: int) -> None:
        super().__init__(core, proxy_id, admin.qos)
        self.my_admin = admin
        self.offers: frozenset[EventType] = frozenset()
        self.pushed = 0
        self.filtered = 0
        self.degraded = 0
        self._stamper: Stamper | None = None
        self._supplier: object = None
        self._subscription_change: Callable[..., None] | None = None
        self._updates = True
        self._accepts: Accepts | None = None
        self._persistent = False
        self._qos_changed()
        self.refresh()

    @property
    def connected(self) -> bool:
        """Whether a supplier is connected."""
        return self._stamper is not None

    async def offer_change(
        self,
        added: Iterable[EventType | tuple[str, str]],
        removed: Iterable[EventType | tuple[str, str]],
    ) -> None:
        """Declare which event types the supplier offers from now on, and which no longer.

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
        self._updates = mode.updates
        return self._core.membership.table.subscriptions if mode.all_now else ()

    def refresh(self) -> None:
        """Apply the filters of proxy and admin as they are now."""
        self._accepts = gate(self.my_admin, self, self.my_admin.my_operator)

    async def destroy(self) -> None:
        """Withdraw the offers, end the proxy, and notify its supplier; idempotent."""
        supplier, connected = self._supplier, self.connected
        await self._disconnect()
        if connected:
            call_client(optional_operation(supplier, self._farewell))

    async def close(self) -> None:
        """End the proxy as `destroy` does."""
        await self.destroy()

    def _connect(self, supplier: object, origin: str | None, epoch: int | None) -> None:
        self._check_alive()
        if self._stamper is not None:
            raise AlreadyConnectedError(f"proxy {self.my_id} has its supplier already")
        self._subscription_change = optional_operation(supplier, "subscription_change")
        optional_operation(supplier, self._farewell)
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
        self._forget_filters()
        self._core.membership.put_offers(self, frozenset())
        await self._core.membership.tell_changes()

    async def forward(self, event: Event, stamp: Stamp | None, moved: Moved) -> "Storing | None":
        """Publish an event of another channel again, as a connection between channels does.

        Args:
            event: The event.
            stamp: Its stamp, which stays; one is made here where it has none.
            moved: How it came. Whether the event is persistent is part of it.

        Returns:
            What `persistent.publisher.stored` waits for; None where the event is not persistent, or
            a filter of the supplier's side did not let it pass.

        Raises:
            EventServiceError: As of `ProxyPushConsumer.push`.
        """
        return (await self._send(event, encode(event), None, stamp, moved))[1]

    async def _publish(self, event: Event, time_us: int | None, stamp: Stamp | None) -> Stamp:
        used, storing = await self._send(event, encode(event), time_us, stamp)
        if storing is not None:
            await stored(storing)
            self.pushed += 1
        return used

    async def _send(
        self,
        event: Event,
        payload: bytes,
        time_us: int | None,
        stamp: Stamp | None,
        moved: Moved | None = None,
    ) -> tuple[Stamp, Storing | None]:
        stamper, core = self._stamper, self._core
        if stamper is None:
            raise DisconnectedError(f"no supplier is connected to proxy {self.my_id}")
        if core.admin.max_queue_length:
            await core.check_room()
            if self._stamper is None:
                raise DisconnectedError(f"no supplier is connected to proxy {self.my_id}")
        used = stamper.next(time_us) if stamp is None else check(stamp)
        if self._accepts is not None and not self._accepts(event):
            self.filtered += 1
            return used, None
        persistent = self._is_persistent(event, moved)
        headers = {**header_of(used), **header_of_moved(moved)}
        in_flight = core.dispatcher.in_flight
        if core.admin.max_queue_length and core.dispatcher.hears(kept=persistent):
            in_flight.begin(used.identity)
        try:
            if persistent:
                return used, await core.store.send(payload, headers, used)
            await core.link.publish(core.subject, payload, headers, waits=False)
        except BaseException:
            in_flight.end(used.identity)
            raise
        self.pushed += 1
        return used, None

    def _is_persistent(self, event: Event, moved: Moved | None) -> bool:
        wanted = self._core.persistent_events if moved is None else moved.persistent
        if moved is None and isinstance(event, StructuredEvent) and event.header.variable_header:
            own = own_reliability(event)
            wanted = wanted if own is None else bool(own)
        if wanted and not self._persistent:
            self.degraded += 1
        return wanted and self._persistent

    def _qos_changed(self) -> None:
        self._persistent = bool(self._qos[QoS.CONNECTION_RELIABILITY])

    def _filters_changed(self) -> None:
        self.refresh()

    def _on_subscriptions(
        self, added: tuple[EventType, ...], removed: tuple[EventType, ...]
    ) -> None:
        if self._updates:
            call_client(self._subscription_change, added, removed)
