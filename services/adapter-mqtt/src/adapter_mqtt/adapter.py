"""The adapter of plain MQTT, 3.1.1 and 5, whose clients know nothing of the federation."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final

from eventservices.stamp import Stamp
from eventservices.steam.link import Link
from eventservices.steam.settings import AirSettings
from eventservices.steam.topics import encode_level
from fes.adapter.base import Adapter
from fes.adapter.context import AdapterContext, Received, ReceivedControl, Subscription
from fes.adapter.native_form import NativeForm
from fes.adapter.plain.fields import lacking
from fes.adapter.plain.rebirths import Rebirths
from fes.adapter.plain.sizes import check_size
from fes.control import CONTROL_SUBJECT
from fes.errors import CodecError, UnavailableError
from fes.federation.capabilities import Capabilities
from fes.filter import Filter
from fes.mapping import Mapping as EventMapping
from fes.mapping import Native
from fes.mapping.topics.levels import is_servers
from fes.model import Event, Field, Type, is_reserved
from fes.payload.headers import CONTENT_TYPE, TYPES

from adapter_mqtt.codec import (
    DELETED,
    RETAINED,
    is_true,
    read_head,
    without_own,
    write_head,
)
from adapter_mqtt.incoming import Incoming, MqttMessage
from adapter_mqtt.mapping import native_form
from adapter_mqtt.memory import key_of
from adapter_mqtt.settings import Settings
from adapter_mqtt.subscriptions import DEADLINE_S, Subscriptions

PAYLOAD_BYTES: Final = 1_000_000
"""Largest payload that brokers accept by default."""

_CONTROL_NUMBER: Final = -1  # no subscription of the gateway has it
_COUNTED: Final = (
    "unstamped",
    "repeated_properties",
    "servers_own",
    "types_lost",
    "attributes_lost",
)
_PLAIN: Final = ("STRING", "LONG", "DOUBLE", "BOOLEAN")


class MqttAdapter(Adapter[Settings, MqttMessage]):
    """Connects an MQTT system."""

    kind: ClassVar[str] = "mqtt"
    settings_type = Settings
    stamp_setting: ClassVar[str] = "stamped"
    one_may_stamp: ClassVar[bool] = True

    def __init__(self, context: AdapterContext) -> None:
        super().__init__(context)
        self._is_5 = self.settings.protocol == "5"
        self._codec = self.settings.codec(context)
        self._rebirths = Rebirths(self._codec, context.clock_us, self._send)
        self._incoming = Incoming(self.settings, self._codec.routes, self.receive)
        self._counts = dict.fromkeys(_COUNTED, 0)

    @classmethod
    def capabilities_for(cls, settings: Settings) -> Capabilities:
        """Return what MQTT can do; 3.1.1 has no place for attributes, types and stamps."""
        can = Capabilities(
            filters_at_source=True,
            stamps=settings.stamped,
            suppresses=False,
            max_event_bytes=PAYLOAD_BYTES,
        )
        if settings.protocol == "5":
            return can
        return replace(can, keeps_attributes=False, keeps_types=_PLAIN)

    @classmethod
    def explain(
        cls, filter_: Filter, mapping: EventMapping, given: Mapping[str, Any]
    ) -> NativeForm:
        """Return the topics of a filter."""
        return native_form(filter_, mapping, given)

    def _counted(self) -> dict[str, int]:
        return {
            **self._counts,
            **self._incoming.counts,
            "own_forgotten": self._incoming.own.forgotten,
            "retained_forgotten": self._incoming.topics.forgotten,
            "copies": self._subscriptions.copies,
            "subscriptions": len(self._subscriptions),
            **self._rebirths.counters(),
            "link_reconnects": self._link.counters.reconnected,
            "link_refused": self._link.counters.refused,
            "takeovers": self._link.counters.takeovers,
        }

    async def _open(self) -> None:
        # An adapter runs in one process only, so its identifier names its client.
        client_id = encode_level(f"{self.context.system}.{self.id}")
        probe = f"{CONTROL_SUBJECT}/probe/{client_id}"
        settings, incoming = AirSettings(self._one_broker()), self._incoming
        link = self._link = Link(
            settings,
            client_id,
            probe,
            incoming.take_live,
            incoming.take_retained,
            incoming.take_5 if self._is_5 else None,
        )
        self._closing.push_async_callback(link.close)
        self._closing.callback(incoming.own.lost)
        self._subscriptions = Subscriptions(link, self.settings.share)
        incoming.begin(link, self._subscriptions)
        await link.open()
        if self.context.hears_control:
            await self._subscriptions.want(_CONTROL_NUMBER, (CONTROL_SUBJECT,))

    async def _publish(self, native: Native, stamp: Stamp) -> None:
        own = replace(native, attributes=without_own(native.attributes)) if self._is_5 else native
        message = self._codec.to_message(own, stamp)
        payload, retain = message.packed.payload, is_true(native, RETAINED)
        if is_true(native, DELETED):
            payload, retain = b"", True
        elif message.route is not None:
            retain = retain or self.settings.routes[message.route].retain
        if self._is_5:
            properties = write_head(message, native, stamp)
            self._send(message.topic, payload, retain=retain, properties=properties.encode())
            return
        self._send(message.topic, payload, retain=retain)
        if message.packed.headers.keys() != {CONTENT_TYPE}:
            self._counts["types_lost"] += TYPES in message.packed.headers
            self._counts["attributes_lost"] += len(native.attributes)

    async def _publish_control(self, event: Event, stamp: Stamp) -> None:
        message = self._codec.to_control_message(event, stamp)
        properties = write_head(message, Native(CONTROL_SUBJECT), stamp).encode()
        self._send(message.topic, message.packed.payload, properties=properties)

    def _send(
        self, topic: str, payload: bytes, *, retain: bool = False, properties: bytes = b"\0"
    ) -> None:
        size = len(payload) + (len(properties) if self._is_5 else 0)
        check_size(size, self.settings.max_bytes)
        self._link.publish(topic, payload, retain=retain, properties=properties)
        key = key_of(topic, payload)
        self._incoming.last.note(key)
        if not self._is_5 and self._subscriptions.comes_back(topic):
            self._incoming.forget_lost()
            self._incoming.own.sent(key, asyncio.get_running_loop().time())

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        found = self.settings.topics_for(subscription.filter, self.context.mapping)
        self._incoming.subscribing = True
        try:
            await self._subscriptions.want(subscription.number, found.patterns)
        finally:
            self._incoming.subscribing = False
            # The runtime adds the subscription before the next turn of the loop, and then accepts
            # them.
            asyncio.get_running_loop().call_soon(self._incoming.take_kept)
        return found.widened

    async def _unsubscribe(self, subscription: Subscription) -> None:
        await self._subscriptions.forget(subscription.number)

    async def _probe(self) -> None:
        self._incoming.forget_lost()
        healthy = self._link.healthy
        await self._link.probe(DEADLINE_S)
        if not self._link.healthy:
            raise UnavailableError("subscriptions are not active again yet")
        if healthy and self._is_5:
            # The broker sent all that it keeps before the probe came back.
            self._incoming.proved()

    def _read(self, message: MqttMessage) -> Received | ReceivedControl | None:
        topic, payload = message.topic, message.payload
        if isinstance(topic, bytes):
            raise CodecError("topic is not UTF-8")
        if self._is_5:
            return self._read_5(topic, message)
        if topic == CONTROL_SUBJECT and self.context.hears_control:
            return self._codec.to_control({}, payload, None)
        if is_reserved(topic):
            return None
        found = self._rebirths.to_native(topic, {}, payload, None)
        if found is None:
            self._counts["servers_own"] += is_servers(topic, self._codec.routes.names.syntax)
        elif message.properties.retained:
            return _marked(found, (Field(RETAINED, Type.BOOLEAN, True),))
        return found

    def _read_5(self, topic: str, message: MqttMessage) -> Received | ReceivedControl | None:
        is_empty = not message.payload
        head = read_head(message.properties, is_empty=is_empty)
        if topic == CONTROL_SUBJECT and self.context.hears_control:
            return self._codec.to_control(head.headers, message.payload, head.stamp)
        if is_reserved(topic):
            return None
        self._counts["unstamped"] += head.stamp is None
        if self.settings.stamped and head.stamp is None:
            return None  # left to another gateway's adapter, which stamps it
        self._counts["repeated_properties"] += head.repeated
        if is_empty and message.properties.retained:
            found = self._codec.without_payload(topic, head.stamp)
        else:
            found = self._rebirths.to_native(topic, head.headers, message.payload, head.stamp)
        if found is None:
            self._counts["servers_own"] += 1
            return None
        return _marked(found, head.attributes)

    def _raw(self, message: MqttMessage) -> bytes:
        return message.payload

    def _named(self, message: MqttMessage) -> str:
        if isinstance(message.topic, bytes):
            return ""
        return "control event" if message.topic == CONTROL_SUBJECT else message.topic[:100]


def _marked(found: Received, more: tuple[Field, ...]) -> Received:
    """Return an event with the attributes of its properties, which prevail."""
    fields = (*lacking(found.native.attributes, more), *more)
    return found._replace(native=replace(found.native, attributes=fields))
