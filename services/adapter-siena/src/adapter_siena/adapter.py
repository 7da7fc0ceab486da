"""The SIENA adapter."""

from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from typing import Any, ClassVar, Final, NamedTuple

from eventservices.counting import counts_of
from eventservices.errors import NotConnectedError
from eventservices.natslink import LinkOptions
from eventservices.siena import (
    Connection,
    Filter,
    Notification,
    Options,
    Seen,
    Semantics,
    format_notification,
    where,
)
from eventservices.siena import Subscription as NativeSubscription
from eventservices.stamp import Stamp
from fes.adapter.base import Adapter
from fes.adapter.context import AdapterContext, Received, ReceivedControl, Subscription
from fes.adapter.native_form import NativeForm
from fes.adapter.outbound.held import Held
from fes.control import CONTROL_SUBJECT
from fes.control.flat import flatten, unflatten
from fes.errors import UnavailableError
from fes.federation.capabilities import Capabilities
from fes.filter import Filter as FesFilter
from fes.mapping import Mapping as EventMapping
from fes.mapping import Native
from fes.model import Event

from adapter_siena.advertisements import Advertisements
from adapter_siena.codec import SUBJECT, Codec
from adapter_siena.mapping import FilterMapping, advertisement, native_form
from adapter_siena.names import Names
from adapter_siena.observed import ROLE, WITHOUT, observed
from adapter_siena.settings import Settings
from adapter_siena.shapes import Shapes

PAYLOAD_BYTES: Final = 1024 * 1024
"""Largest payload that a NATS server accepts by default."""

OPEN_S: Final = 3.0
"""Longest time for connecting; the runtime tries again."""

_CONTROL_NUMBER: Final = -1  # no subscription of the gateway has it
_CONTROL: Final = (where((SUBJECT, "=", CONTROL_SUBJECT)),)


class SienaMessage(NamedTuple):
    """A notification from the native client, with its stamp."""

    notification: Notification
    stamp: Stamp | None


class SienaAdapter(Adapter[Settings, SienaMessage]):
    """Connects a SIENA service.

    Adapters of one process and one service share a native connection; each is a client of it.
    """

    kind: ClassVar[str] = "siena"
    settings_type = Settings

    def __init__(self, context: AdapterContext) -> None:
        super().__init__(context)
        given = self.settings
        names = self._names = Names(given.substitute)
        self._semantics = Semantics(given.semantics)
        self._codec = Codec(names, given.subject_attribute)
        self._filters = FilterMapping(context.mapping, names, given.subject_attribute)
        self._key = (self.kind, context.brokers, context.service, given.index, given.semantics)
        self._latest = context.pool.latest((self._key, repr(given)))
        self._observing = AsyncExitStack()

    @classmethod
    def capabilities_for(cls, settings: Settings) -> Capabilities:
        """Return what SIENA can do."""
        del settings
        return Capabilities(
            filters_at_source=True,
            observes=("subscriptions", "announcements"),
            max_event_bytes=PAYLOAD_BYTES,
        )

    @classmethod
    def explain(
        cls, filter_: FesFilter, mapping: EventMapping, given: Mapping[str, Any]
    ) -> NativeForm:
        """Return the native filters of a filter."""
        return native_form(filter_, mapping, given)

    def _counted(self) -> dict[str, int]:
        """Return counters of the client, and of the connection that adapters share."""
        link = {f"link_{name}": n for name, n in counts_of(self._connection.link.counters).items()}
        return {
            **counts_of(self._connection.counters),
            **link,
            "suppressed": self._client.suppressor.suppressed,
            "subscriptions": len(self._held),
            "shapes": len(self._shapes),
        }

    async def _open(self) -> None:
        self._some_brokers()
        connection = self._connection = await self._pooled(
            self._key, self._connect, Connection.close
        )
        clock_us = self.context.clock_us
        self._client = connection.client(self.context.id, role=ROLE, clock_us=clock_us)
        self._closing.push_async_callback(self._client.close)
        connection.aside.watchers.append(self.set_aside)
        self._closing.callback(connection.aside.watchers.remove, self.set_aside)
        self._closing.push_async_callback(self._observing.aclose)
        self._held = Held(self._subscribe_natively, self._cancel)
        self._advertisements = Advertisements(self._client)
        self._shapes = Shapes(self._advertisements)
        if self.context.hears_control:
            await self._held.add(_CONTROL_NUMBER, _CONTROL)

    async def _connect(self) -> Connection:
        context = self.context
        name = f"fes/{context.system}/{context.service}"
        link = LinkOptions(name=name, open_timeout_s=OPEN_S, apart=True)
        connection = Connection(
            context.brokers,
            context.service,
            index=self.settings.index,
            semantics=self._semantics,
            options=Options(link=link),
        )
        return await connection.open()

    async def _observe(self) -> None:
        await self._observing.aclose()
        self._observing.callback(self._connection.observe(self._saw, without_roles=WITHOUT))

    def _saw(self, seen: Seen) -> None:
        self.sink.observed(observed(seen, self._names))

    async def _publish(self, native: Native, stamp: Stamp) -> None:
        notification = self._codec.to_notification(native)
        if self._semantics is Semantics.ADVERTISEMENT:
            await self._shapes.before(notification)
        await self._client.publish(notification, stamp=stamp)

    async def _publish_control(self, event: Event, stamp: Stamp) -> None:
        flat = flatten(event)
        await self._publish(Native(flat.subject, flat.parameters, flat.attributes), stamp)

    async def _announce(self, native: Native) -> None:
        await self._advertisements.hold(self._advertised(native))

    async def _unannounce(self, native: Native) -> None:
        await self._advertisements.release(self._advertised(native))

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        filters, widened = self._filters.translate(subscription.filter.tree)
        await self._held.add(subscription.number, filters)
        return widened

    async def _unsubscribe(self, subscription: Subscription) -> None:
        await self._held.remove(subscription.number)

    async def _subscribe_natively(self, wanted: Filter) -> NativeSubscription:
        # The client calls each callback once for a notification, however many filters match it.
        return await self._client.subscribe(wanted, self._take)

    async def _cancel(self, native: NativeSubscription) -> None:
        with suppress(NotConnectedError):  # it has ended here; other clients are notified later
            await self._client.cancel(native)

    async def _probe(self) -> None:
        await self._connection.probe(shared=True)
        if not self._connection.settled:
            raise UnavailableError("subscriptions are not proved to be active again yet")

    def _take(self, notification: Notification, stamp: Stamp | None) -> None:
        self.receive(SienaMessage(notification, stamp))

    def _read(self, message: SienaMessage) -> Received | ReceivedControl | None:
        notification, stamp = message
        if notification.attributes.get(SUBJECT) != CONTROL_SUBJECT:
            return Received(self._codec.to_native(notification), stamp)
        if not self.context.hears_control:
            return None
        event = self._latest.of((notification,), lambda: self._control_of(notification))
        return ReceivedControl(event, stamp)

    def _raw(self, message: SienaMessage) -> bytes:
        return format_notification(message.notification).encode()

    def _control_of(self, notification: Notification) -> Event:
        native = self._codec.to_native(notification)
        return unflatten(Event(CONTROL_SUBJECT, native.parameters, native.attributes))

    def _advertised(self, native: Native) -> Filter:
        return advertisement(self._codec.to_notification(native))
