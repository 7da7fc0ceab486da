"""The adapter of plain MQTT 3.1.1, whose clients know nothing of the federation."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Final, NamedTuple

from eventservices.stamp import Stamp
from eventservices.steam.link import Link
from eventservices.steam.settings import AirSettings
from eventservices.steam.topics import encode_level
from fes.adapter.base import Adapter
from fes.adapter.context import AdapterContext, Received, ReceivedControl, Subscription
from fes.adapter.native_form import NativeForm
from fes.adapter.plain.codec import Message
from fes.control import CONTROL_SUBJECT
from fes.errors import AdapterError, CodecError, UnavailableError
from fes.federation.capabilities import Capabilities
from fes.filter import Filter
from fes.mapping import Mapping as EventMapping
from fes.mapping import Native
from fes.mapping.topics.levels import is_servers
from fes.mapping.topics.sources import topics_of
from fes.model import Event, Field, Type, is_reserved
from fes.payload.headers import CONTENT_TYPE, TYPES

from adapter_mqtt.mapping import native_form
from adapter_mqtt.memory import Last, Own, key_of
from adapter_mqtt.settings import Settings
from adapter_mqtt.subscriptions import DEADLINE_S, Subscriptions

PAYLOAD_BYTES: Final = 1_000_000
"""What brokers take as they are installed."""

RETAINED: Final = "Retained"
"""Attribute of an event that the broker had kept."""

_CONTROL_NUMBER: Final = -1  # no subscription of the gateway has it
KEPT_BYTES: Final = 4 * 1024 * 1024
"""Most bytes of retained messages that wait until their subscription holds; more are dropped."""

_COUNTED: Final = (
    "own",
    "servers_own",
    "retained",
    "retained_known",
    "retained_dropped",
    "types_lost",
    "attributes_lost",
)
_PLAIN: Final = ("STRING", "LONG", "DOUBLE", "BOOLEAN")


class MqttMessage(NamedTuple):
    """What the native client delivers.

    Attributes:
        topic: As it stands at the broker; bytes where it is not UTF-8.
        payload: Its bytes.
        is_retained: Whether the broker had kept it.
    """

    topic: str | bytes
    payload: bytes
    is_retained: bool = False


class MqttAdapter(Adapter[Settings, MqttMessage]):
    """Connects an MQTT system."""

    kind: ClassVar[str] = "mqtt"
    settings_type = Settings

    def __init__(self, context: AdapterContext) -> None:
        super().__init__(context)
        self._codec = self.settings.codec(context, headers=False)
        self._own, self._last = Own(self.settings.own_s), Last()
        self._reconnections = 0
        self._subscribing = False
        self._kept: list[MqttMessage] = []
        self._kept_bytes = 0
        self._counts = dict.fromkeys(_COUNTED, 0)

    @classmethod
    def capabilities_for(cls, settings: Settings) -> Capabilities:
        """Return what MQTT 3.1.1 can do."""
        del settings
        return Capabilities(
            filters_at_source=True,
            stamps=False,
            suppresses=False,
            max_event_bytes=PAYLOAD_BYTES,
            keeps_attributes=False,
            keeps_types=_PLAIN,
        )

    @classmethod
    def explain(
        cls, filter_: Filter, mapping: EventMapping, given: Mapping[str, Any]
    ) -> NativeForm:
        """Return the topics that a filter becomes."""
        return native_form(filter_, mapping, given)

    def _counted(self) -> dict[str, int]:
        return {
            **self._counts,
            "own_forgotten": self._own.forgotten,
            "copies": self._subscriptions.copies,
            "subscriptions": len(self._subscriptions),
            "nulls": self._codec.nulls,
            "link_reconnects": self._link.counters.reconnected,
            "link_refused": self._link.counters.refused,
            "takeovers": self._link.counters.takeovers,
        }

    async def _open(self) -> None:
        # An adapter lives in one process only, so its identifier names its client.
        client_id = encode_level(f"{self.context.system}.{self.id}")
        probe = f"{CONTROL_SUBJECT}/probe/{client_id}"
        settings = AirSettings(self._one_broker())
        link = self._link = Link(settings, client_id, probe, self._take_live, self._take_retained)
        self._closing.push_async_callback(link.close)
        self._closing.callback(self._own.lost)
        self._subscriptions = Subscriptions(link)
        await link.open()
        if self.context.hears_control:
            await self._subscriptions.want(_CONTROL_NUMBER, (CONTROL_SUBJECT,))

    async def _publish(self, native: Native, stamp: Stamp) -> None:
        message = self._codec.to_message(native, stamp)
        self._send(message)
        if message.packed.headers.keys() != {CONTENT_TYPE}:
            self._counts["types_lost"] += TYPES in message.packed.headers
            self._counts["attributes_lost"] += len(native.attributes)

    async def _publish_control(self, event: Event, stamp: Stamp) -> None:
        self._send(self._codec.to_control_message(event, stamp))

    def _send(self, message: Message) -> None:
        payload = message.packed.payload
        if len(payload) > self.settings.max_bytes:
            raise AdapterError(
                f"payload of {len(payload)} bytes exceeds the limit of {self.settings.max_bytes}"
            )
        retain = message.route is not None and self.settings.routes[message.route].retain
        self._link.publish(message.topic, payload, retain=retain)
        key = key_of(message.topic, payload)
        self._last.note(key)
        if self._subscriptions.comes_back(message.topic):
            self._forget_lost()
            self._own.sent(key, asyncio.get_running_loop().time())

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        found = topics_of(subscription.filter.tree, self.context.mapping, self._codec.routes)
        self._subscribing = True
        try:
            await self._subscriptions.want(subscription.number, found.patterns)
        finally:
            self._subscribing = False
            # The runtime knows the subscription before the loop turns, and lets them pass.
            asyncio.get_running_loop().call_soon(self._take_kept)
        return found.widened

    async def _unsubscribe(self, subscription: Subscription) -> None:
        await self._subscriptions.forget(subscription.number)

    async def _probe(self) -> None:
        await self._link.probe(DEADLINE_S)
        if not self._link.healthy:
            raise UnavailableError("subscriptions are not in force again yet")

    def _take_live(self, topic: str | bytes, payload: bytes) -> None:
        key = key_of(str(topic), payload)
        self._forget_lost()
        self._last.note(key)
        if self._subscriptions.is_copy(key):
            return
        if self._own.is_own(key, asyncio.get_running_loop().time()):
            self._counts["own"] += 1
            return
        self.receive(MqttMessage(topic, payload))

    def _take_retained(self, topic: str | bytes, payload: bytes) -> None:
        key = key_of(str(topic), payload)
        message = MqttMessage(topic, payload, is_retained=True)
        if self._is_ours(topic) or self._last.is_known(key):
            self._counts["retained_known"] += 1
        elif self._subscribing:
            self._keep(message)
        else:
            self._last.note(key)
            self._counts["retained"] += 1
            self.receive(message)

    def _keep(self, message: MqttMessage) -> None:
        self._kept_bytes += len(message.topic) + len(message.payload)
        if self._kept_bytes > KEPT_BYTES:
            self._counts["retained_dropped"] += 1
            return
        self._kept.append(message)

    def _take_kept(self) -> None:
        if not self._subscribing:
            kept, self._kept, self._kept_bytes = self._kept, [], 0
            for message in kept:
                self._take_retained(message.topic, message.payload)

    def _is_ours(self, topic: str | bytes) -> bool:
        """Tell whether what the broker kept on a topic may be the adapter's own."""
        route = self._codec.routes.route_at(str(topic))
        return route is not None and self.settings.routes[route].retain

    def _read(self, message: MqttMessage) -> Received | ReceivedControl | None:
        topic, payload = message.topic, message.payload
        if isinstance(topic, bytes):
            raise CodecError("topic is not UTF-8")
        if topic == CONTROL_SUBJECT and self.context.hears_control:
            return self._codec.to_control({}, payload, None)
        if is_reserved(topic):
            return None
        found = self._codec.to_native(topic, {}, payload, None)
        if found is None:
            self._counts["servers_own"] += is_servers(topic, self._codec.routes.names.syntax)
        elif message.is_retained:
            return found._replace(native=_marked(found.native))
        return found

    def _raw(self, message: MqttMessage) -> bytes:
        return message.payload

    def _named(self, message: MqttMessage) -> str:
        if isinstance(message.topic, bytes):
            return ""
        return "control event" if message.topic == CONTROL_SUBJECT else message.topic[:100]

    def _forget_lost(self) -> None:
        if self._link.counters.reconnected != self._reconnections:
            self._reconnections = self._link.counters.reconnected
            self._own.lost()


def _marked(native: Native) -> Native:
    """Return an event that says that the broker had kept it."""
    kept = tuple(field for field in native.attributes if field.id != RETAINED)
    return replace(native, attributes=(*kept, Field(RETAINED, Type.BOOLEAN, True)))
