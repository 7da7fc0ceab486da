"""The adapter of JMS by STOMP, whose clients know nothing of the federation."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final

from eventservices.ending import ended
from eventservices.jms.message import MAP_XML, TRANSFORMATION, JmsMessage, Kind
from eventservices.jms.source import Source
from eventservices.stamp import Stamp
from eventservices.stomp.client import HEARTBEAT_MS
from eventservices.stomp.session import Session
from fes.adapter.base import Adapter
from fes.adapter.context import AdapterContext, Received, ReceivedControl, Subscription
from fes.adapter.inbound.ordered import OrderedDelivery
from fes.adapter.native_form import NativeForm
from fes.adapter.plain.codec import Message
from fes.adapter.plain.fields import lacking
from fes.adapter.plain.sizes import check_size
from fes.control import CONTROL_SUBJECT
from fes.errors import CodecError
from fes.federation.capabilities import Capabilities
from fes.filter import Filter
from fes.mapping import Mapping as EventMapping
from fes.mapping import Native
from fes.model import Event, attributes, is_reserved
from fes.payload.map_xml import is_map, read_map, write_map
from fes.payload.packing import Packed

from adapter_jms.codec import (
    is_bytes,
    properties_of,
    read_head,
    without_fields,
    write_head,
)
from adapter_jms.mapping import MAX_SUBSCRIPTIONS, FilterMapping, native_form
from adapter_jms.properties import read_properties, with_properties
from adapter_jms.selectors import guarded
from adapter_jms.settings import MOST_PREFETCH, Settings
from adapter_jms.subscriptions import Subscriptions

PAYLOAD_BYTES: Final = 1_000_000
"""What is published, unless the file has another limit."""

MOST: Final = MAX_SUBSCRIPTIONS * MOST_PREFETCH
"""Most messages that wait: the broker sends no more before some are acknowledged."""

REDELIVERS_S: Final = 2 * HEARTBEAT_MS / 1000
"""After how long, at the latest, the broker notices that a connection is lost, seconds."""

_CONTROL_NUMBER: Final = "control"
_COUNTED: Final = ("unstamped", "servers_own", "redelivered", "properties_lost")


class JmsAdapter(Adapter[Settings, JmsMessage]):
    """Connects a JMS provider that speaks STOMP: ActiveMQ."""

    kind: ClassVar[str] = "jms"
    settings_type = Settings

    def __init__(self, context: AdapterContext) -> None:
        super().__init__(context)
        self._codec = self.settings.codec(context)
        self._filters = FilterMapping(self.settings, context.mapping)
        self._counts = dict.fromkeys(_COUNTED, 0)

    @classmethod
    def capabilities_for(cls, settings: Settings) -> Capabilities:
        """Return what JMS can do: a message has an identity that follows from its identifier."""
        return Capabilities(
            filters_at_source=True,
            stamps=True,
            suppresses=False,
            persistent=settings.persistent,
            max_event_bytes=settings.max_bytes,
            redelivers_s=REDELIVERS_S if settings.persistent else 0.0,
            honours=("Priority", "Timeout"),
        )

    @classmethod
    def explain(
        cls, filter_: Filter, mapping: EventMapping, given: Mapping[str, Any]
    ) -> NativeForm:
        """Return the destinations and selectors that a filter becomes."""
        return native_form(filter_, mapping, given)

    def _counted(self) -> dict[str, int]:
        return {
            **self._counts,
            **self._session.counters(),
            **self._delivery.counters(),
            "subscriptions": len(self._subscriptions),
            **self._codec.counters(),
        }

    async def _open(self) -> None:
        # An adapter lives in one process only, so its identifier names its client.
        self._client_id = f"fes.{self.context.system}.{self.id}"
        client_id = self._client_id if self.settings.persistent else ""
        session = self._session = Session(
            self._some_brokers(), client_id, self._arrived, self.set_aside, self.settings.prefetch
        )
        self._delivery = OrderedDelivery(self.receive, session.done, MOST)
        self._subscriptions = Subscriptions(
            session, self._client_id, persistent=self.settings.persistent
        )
        self._closing.push_async_callback(session.close)
        await session.open()
        delivering = asyncio.create_task(self._delivery.run(), name="jms deliver")
        self._closing.push_async_callback(ended, delivering)
        if self.context.hears_control:
            source = Source("topic", CONTROL_SUBJECT, guarded("", self._client_id))
            await session.listen(_CONTROL_NUMBER, source, self.receive)

    async def _publish(self, native: Native, stamp: Stamp) -> None:
        declared = self.settings.properties
        properties, lost = properties_of(native.parameters, declared)
        self._counts["properties_lost"] += lost
        own = replace(native, attributes=without_fields(native.attributes))
        message = self._codec.to_message(own, stamp, properties)
        head = write_head(message, native, stamp, self._client_id, self._expires_ms(native, stamp))
        if self.settings.messages == "map" and native.octets is None:
            head[TRANSFORMATION] = MAP_XML
            _, parameters, _ = self._codec.routes.place(str(own.subject), own.parameters)
            message = replace(message, packed=Packed({}, write_map(parameters)))
        await self._send(self.settings.kind_of(message.route), message, {**head, **properties})

    async def _publish_control(self, event: Event, stamp: Stamp) -> None:
        message = self._codec.to_control_message(event, stamp)
        head = write_head(message, Native(CONTROL_SUBJECT), stamp, self._client_id, 0)
        await self._send("topic", message, head)

    async def _send(self, kind: Kind, message: Message, headers: dict[str, str]) -> None:
        body = message.packed.payload
        check_size(len(body), self.settings.max_bytes)
        await self._session.send(
            (kind, message.topic),
            headers,
            body,
            as_bytes=is_bytes(message.packed),
            confirmed=headers["persistent"] == "true",
        )

    def _expires_ms(self, native: Native, stamp: Stamp) -> int:
        """Return when the broker forgets a message, by the wall clock; 0 for never."""
        event = Event(native.subject or "", (), native.attributes)
        expires_us = attributes.expires_us(event, stamp.time_us)
        if not expires_us:
            return 0
        left_us = (expires_us - self.context.clock_us()) / self.context.speed
        return max(1, int(time.time() * 1000 - -left_us // 1000))

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        found = self._filters.translate(subscription.filter.tree)
        await self._subscriptions.want(subscription.number, found.sources)
        return found.widened

    async def _unsubscribe(self, subscription: Subscription) -> None:
        await self._subscriptions.forget(subscription.number)

    async def _probe(self) -> None:
        await self._session.probe(f"{CONTROL_SUBJECT}.probe")

    def _arrived(self, message: JmsMessage, number: int) -> None:
        if self.settings.persistent:
            self._delivery.put(number, message, message.size)
        else:
            self.receive(message)
            self._session.done(number)

    def _read(self, message: JmsMessage) -> Received | ReceivedControl | None:
        is_control = _is_control(message)
        declared = self.settings.properties
        head = read_head(message, declared, self.event_service_id, is_control=is_control)
        if is_control:
            return self._codec.to_control(head.headers, message.body, head.stamp)
        if is_reserved(message.name):
            return None
        self._counts["unstamped"] += not head.is_stamped
        self._counts["redelivered"] += message.frame.get("redelivered") == "true"
        found = self._received(message, head.headers, head.stamp)
        if found is None:
            self._counts["servers_own"] += 1
            return None
        native = found.native
        told = tuple(read_properties(declared, message.frame))
        parameters = with_properties(native.parameters, told)
        fields = (*native.attributes, *lacking(head.attributes, native.attributes))
        return found._replace(native=replace(native, parameters=parameters, attributes=fields))

    def _received(
        self, message: JmsMessage, headers: dict[str, str], stamp: Stamp | None
    ) -> Received | None:
        taken = self._codec.routes.take(message.name)
        if taken is not None and self.settings.kind_of(taken.route) != message.kind:
            raise CodecError(f"{taken.subject[:80]!r} is published to another kind of destination")
        if is_map(message.frame, message.body):
            parameters = read_map(message.body)
        elif message.body:
            return self._codec.to_native(message.name, headers, message.body, stamp)
        else:
            parameters = ()
        return self._codec.with_parameters(message.name, headers, parameters, stamp)

    def _raw(self, message: JmsMessage) -> bytes:
        return message.body

    def _named(self, message: JmsMessage) -> str:
        return "control event" if _is_control(message) else f"{message.kind} {message.name[:100]}"


def _is_control(message: JmsMessage) -> bool:
    """Return whether a message came by the subscription to control events."""
    return message.subscription == _CONTROL_NUMBER
