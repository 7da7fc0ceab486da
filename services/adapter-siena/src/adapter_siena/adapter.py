"""The SIENA adapter."""

from dataclasses import asdict
from typing import TYPE_CHECKING, ClassVar, Final, cast

import msgspec
from eventservices.errors import EventServiceError
from eventservices.natslink import LinkOptions
from eventservices.siena import (
    Client,
    Connection,
    Filter,
    Notification,
    Options,
    Seen,
    Semantics,
    format_notification,
    where,
)
from eventservices.stamp import Stamp
from fes.adapter.base import Adapter, AdapterContext, Subscription
from fes.adapter.capabilities import Capabilities
from fes.control import CONTROL_SUBJECT
from fes.control.flat import flatten, unflatten
from fes.errors import AdapterError, FesError, UnavailableError
from fes.mapping import Native
from fes.model import Event

from adapter_siena import settings
from adapter_siena.codec import SUBJECT, Codec
from adapter_siena.errors import as_adapter_error, told
from adapter_siena.holdings import Advertisements, Subscriptions
from adapter_siena.mapping import FilterMapping, advertisement
from adapter_siena.names import Names
from adapter_siena.observed import ROLE, WITHOUT, observed
from adapter_siena.shapes import Shapes

if TYPE_CHECKING:
    from collections.abc import Callable

PAYLOAD_BYTES: Final = 1024 * 1024
"""What a NATS server takes, unless it is configured otherwise."""

OPEN_S: Final = 3.0
"""Longest that connecting takes; the runtime tries again."""

_CONTROL: Final = (where((SUBJECT, "=", CONTROL_SUBJECT)),)


class SienaAdapter(Adapter):
    """Connects a SIENA service.

    Adapters of one process and one service share a native connection; each is a client of it.

    Args:
        context: Where it stands.

    Raises:
        AdapterError: A setting is not good.
    """

    kind: ClassVar[str] = "siena"
    settings_type: ClassVar[type[msgspec.Struct]] = settings.Settings
    capabilities: ClassVar[Capabilities] = Capabilities(
        filters_at_source=True,
        observes=("subscriptions", "announcements"),
        max_event_bytes=PAYLOAD_BYTES,
    )

    def __init__(self, context: AdapterContext) -> None:
        super().__init__(context)
        given = settings.read(context.settings)
        names = self._names = Names(given.substitute)
        self._index = given.index
        self._semantics = Semantics(given.semantics)
        self._codec = Codec(names, given.subject_attribute)
        self._filters = FilterMapping(context.mapping, names, given.subject_attribute)
        self._key = (self.kind, context.brokers, context.service, given.index, given.semantics)
        self._read = context.pool.latest((self._key, repr(given)))
        self._held: dict[int, tuple[Filter, ...]] = {}
        self._connection: Connection | None = None
        self._client: Client | None = None
        self._end_observing: Callable[[], None] | None = None

    @property
    def counters(self) -> dict[str, int]:
        """Counters of the native connection, which adapters of one process share, and client."""
        if self._connection is None or self._client is None:
            return {}
        link = {f"link_{name}": n for name, n in asdict(self._connection.link.counters).items()}
        return {
            **asdict(self._connection.counters),
            **link,
            "suppressed": self._client.suppressor.suppressed,
            "subscriptions": len(self._subscriptions),
            "shapes": len(self._shapes),
        }

    async def _open(self) -> None:
        if not self.context.brokers:
            raise AdapterError(f"event service {self.context.service}: no broker is named")
        pool = self.context.pool
        with told():
            found = await pool.acquire(self._key, self._connect, Connection.close)
        self._connection = cast("Connection", found)
        try:
            with told():
                await self._join(self._connection)
        except BaseException:
            await self._close()
            raise

    async def _connect(self) -> Connection:
        context = self.context
        link = LinkOptions(name=f"fes/{context.system}/{context.service}", open_timeout_s=OPEN_S)
        connection = Connection(
            context.brokers,
            context.service,
            index=self._index,
            semantics=self._semantics,
            options=Options(link=link),
        )
        return await connection.open()

    async def _join(self, connection: Connection) -> None:
        clock_us = self.context.clock_us
        self._client = connection.client(self.context.id, role=ROLE, clock_us=clock_us)
        connection.aside.watchers.append(self._malformed)
        self._subscriptions = Subscriptions(self._client, self._take)
        self._advertisements = Advertisements(self._client)
        self._shapes = Shapes(self._advertisements)
        if self.context.hears_control:
            await self._subscriptions.hold(_CONTROL)

    async def _close(self) -> None:
        self._stop_observing()
        client, self._client = self._client, None
        connection, self._connection = self._connection, None
        self._held.clear()
        try:
            if client is not None:
                with told():
                    await client.close()
        finally:
            if connection is not None:
                if self._malformed in connection.aside.watchers:
                    connection.aside.watchers.remove(self._malformed)
                await self.context.pool.release(self._key)

    async def _observe(self) -> None:
        self._party()
        self._stop_observing()
        connection = cast("Connection", self._connection)
        self._end_observing = connection.observe(self._saw, without_roles=WITHOUT)

    def _stop_observing(self) -> None:
        end, self._end_observing = self._end_observing, None
        if end is not None:
            end()

    def _saw(self, seen: Seen) -> None:
        self.sink.observed(observed(seen, self._names))

    async def _publish(self, native: Native, stamp: Stamp) -> None:
        notification = self._codec.to_notification(native)
        party = self._party()
        try:
            if self._semantics is Semantics.ADVERTISEMENT:
                await self._shapes.before(notification)
            await party.publish(notification, stamp=stamp)
        except EventServiceError as error:
            raise as_adapter_error(error) from error

    async def _publish_control(self, event: Event, stamp: Stamp) -> None:
        flat = flatten(event)
        await self._publish(Native(flat.subject, flat.parameters, flat.attributes), stamp)

    async def _announce(self, native: Native) -> None:
        self._party()
        with told():
            await self._advertisements.hold(self._advertised(native))

    async def _unannounce(self, native: Native) -> None:
        self._party()
        with told():
            await self._advertisements.release(self._advertised(native))

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        self._party()
        with told():
            filters, widened = self._filters.translate(subscription.filter.tree)
            await self._subscriptions.hold(filters)
            before = self._held.get(subscription.number, ())
            self._held[subscription.number] = filters
            await self._subscriptions.release(before)
        return widened

    async def _unsubscribe(self, subscription: Subscription) -> None:
        self._party()
        with told():
            await self._subscriptions.release(self._held.pop(subscription.number, ()))

    async def _probe(self) -> None:
        self._party()
        connection = cast("Connection", self._connection)
        with told():
            await connection.probe(shared=True)
        if not connection.settled:
            raise UnavailableError("subscriptions are not proved to be in force again yet")

    def _malformed(self, reason: str, raw: bytes) -> None:
        if self._sink is not None:
            self._sink.set_aside(reason, raw)

    def _take(self, notification: Notification, stamp: Stamp | None) -> None:
        try:
            if notification.attributes.get(SUBJECT) == CONTROL_SUBJECT:
                self._take_control(notification, stamp)
            else:
                self.sink.heard(self._codec.to_native(notification), stamp)
        except FesError as error:
            self.sink.set_aside(str(error), format_notification(notification).encode())

    def _take_control(self, notification: Notification, stamp: Stamp | None) -> None:
        if not self.context.hears_control:
            return
        event = self._read.of((notification,), lambda: self._control_of(notification))
        self.sink.heard_control(event, stamp)

    def _control_of(self, notification: Notification) -> Event:
        native = self._codec.to_native(notification)
        return unflatten(Event(CONTROL_SUBJECT, native.parameters, native.attributes))

    def _advertised(self, native: Native) -> Filter:
        return advertisement(self._codec.to_notification(native))

    def _party(self) -> Client:
        if self._client is None:
            raise UnavailableError(f"event service {self.context.service} is not connected")
        return self._client
