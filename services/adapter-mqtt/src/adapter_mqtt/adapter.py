"""The adapter of plain MQTT 3.1.1, whose clients know nothing of the federation."""

import asyncio
import logging
from dataclasses import replace
from typing import ClassVar, Final

import msgspec
from eventservices.errors import EventServiceError
from eventservices.stamp import Stamp
from eventservices.steam.link import Link, OnMessage
from eventservices.steam.settings import AirSettings
from eventservices.steam.topics import encode_level
from fes.adapter.base import Adapter, AdapterContext, Subscription
from fes.adapter.capabilities import Capabilities
from fes.adapter.plain import PAYLOAD_FACTOR, Message, PlainCodec
from fes.control import CONTROL_SUBJECT
from fes.errors import AdapterError, FesError, UnavailableError
from fes.mapping import Native
from fes.mapping.topics.levels import is_servers
from fes.mapping.topics.sources import topics_of
from fes.model import Event, Field, Type, is_reserved
from fes.payload.headers import CONTENT_TYPE, TYPES

from adapter_mqtt import settings
from adapter_mqtt.errors import as_adapter_error, native_errors
from adapter_mqtt.memory import Last, Own, key_of
from adapter_mqtt.subscriptions import DEADLINE_S, Subscriptions

_log = logging.getLogger(__name__)

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
    "handler_errors",
)
_PLAIN: Final = ("STRING", "LONG", "DOUBLE", "BOOLEAN")


class MqttAdapter(Adapter):
    """Connects an MQTT system.

    Args:
        context: Where it stands.

    Raises:
        AdapterError: A setting is not good.
    """

    kind: ClassVar[str] = "mqtt"
    settings_type: ClassVar[type[msgspec.Struct]] = settings.Settings
    capabilities: ClassVar[Capabilities] = Capabilities(
        filters_at_source=True,
        stamps=False,
        suppresses=False,
        max_event_bytes=PAYLOAD_BYTES,
        keeps_attributes=False,
        keeps_types=_PLAIN,
    )

    def __init__(self, context: AdapterContext) -> None:
        super().__init__(context)
        given = self._given = settings.read(context.settings)
        self._codec = PlainCodec(
            given.names(),
            given.texts(),
            given.payload,
            given.value,
            context.mapping,
            PAYLOAD_FACTOR * context.limits.event_bytes,
            headers=False,
        )
        self._own, self._last = Own(given.own_s), Last()
        self._link: Link | None = None
        self._subscriptions: Subscriptions | None = None
        self._reconnections = 0
        self._subscribing = False
        self._kept: list[tuple[str | bytes, bytes]] = []
        self._kept_bytes = 0
        self._counters = dict.fromkeys(_COUNTED, 0)

    @property
    def counters(self) -> dict[str, int]:
        """Counters of what was heard, and of the connection."""
        if self._link is None or self._subscriptions is None:
            return {}
        return {
            **self._counters,
            "own_forgotten": self._own.forgotten,
            "copies": self._subscriptions.copies,
            "subscriptions": len(self._subscriptions),
            "nulls": self._codec.nulls,
            "link_reconnects": self._link.counters.reconnected,
            "link_refused": self._link.counters.refused,
            "takeovers": self._link.counters.takeovers,
        }

    async def _open(self) -> None:
        if len(self.context.brokers) != 1:
            found = len(self.context.brokers)
            raise AdapterError(
                f"event service {self.context.service}: MQTT needs exactly one broker,"
                f" found {found}"
            )
        # An adapter lives in one process only, so its identifier names its client.
        client_id = encode_level(f"{self.context.system}.{self.id}")
        probe = f"{CONTROL_SUBJECT}/probe/{client_id}"
        try:
            with native_errors():
                link = Link(
                    AirSettings(self.context.brokers[0]),
                    client_id,
                    probe,
                    self._guarded(self._take_live),
                    self._guarded(self._take_retained),
                )
                await link.open()
                self._link, self._subscriptions = link, Subscriptions(link)
                if self.context.hears_control:
                    await self._subscriptions.want(_CONTROL_NUMBER, (CONTROL_SUBJECT,))
        except BaseException:
            await self._close()
            raise

    async def _close(self) -> None:
        link, self._link = self._link, None
        self._subscriptions = None
        self._own.lost()
        if link is not None:
            await link.close()

    async def _publish(self, native: Native, stamp: Stamp) -> None:
        message = self._codec.to_message(native, stamp)
        self._send(message)
        if message.packed.headers.keys() != {CONTENT_TYPE}:
            self._counters["types_lost"] += TYPES in message.packed.headers
            self._counters["attributes_lost"] += len(native.attributes)

    async def _publish_control(self, event: Event, stamp: Stamp) -> None:
        self._send(self._codec.to_control_message(event, stamp))

    def _send(self, message: Message) -> None:
        link, subscriptions = self._connected()
        payload = message.packed.payload
        if len(payload) > self._given.max_bytes:
            raise AdapterError(
                f"payload of {len(payload)} bytes exceeds the limit of {self._given.max_bytes}"
            )
        retain = message.route is not None and self._given.routes[message.route].retain
        try:
            link.publish(message.topic, payload, retain=retain)
        except EventServiceError as error:
            raise as_adapter_error(error) from error
        key = key_of(message.topic, payload)
        self._last.note(key)
        if subscriptions.comes_back(message.topic):
            self._forget_lost(link)
            self._own.sent(key, asyncio.get_running_loop().time())

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        _, subscriptions = self._connected()
        found = topics_of(subscription.filter.tree, self.context.mapping, self._codec.routes)
        self._subscribing = True
        try:
            with native_errors():
                await subscriptions.want(subscription.number, found.patterns)
        finally:
            self._subscribing = False
            # The runtime knows the subscription before the loop turns, and lets them pass.
            asyncio.get_running_loop().call_soon(self._take_kept)
        return found.widened

    async def _unsubscribe(self, subscription: Subscription) -> None:
        _, subscriptions = self._connected()
        with native_errors():
            await subscriptions.forget(subscription.number)

    async def _probe(self) -> None:
        link, _ = self._connected()
        with native_errors():
            await link.probe(DEADLINE_S)
        if not link.healthy:
            raise UnavailableError("subscriptions are not in force again yet")

    def _guarded(self, take: OnMessage) -> OnMessage:
        """Return a callback that never raises: it would end the client, which says *connected*."""

        def guarded(topic: str | bytes, payload: bytes) -> None:
            try:
                take(topic, payload)
            except Exception:  # noqa: BLE001 - the next message is to be taken
                self._counters["handler_errors"] += 1
                _log.exception("handler_failed", extra={"adapter": self.id})

        return guarded

    def _take_live(self, topic: str | bytes, payload: bytes) -> None:
        link, subscriptions = self._link, self._subscriptions
        if link is None or subscriptions is None:
            return
        key = key_of(str(topic), payload)
        self._forget_lost(link)
        self._last.note(key)
        if subscriptions.is_copy(key):
            return
        if self._own.is_own(key, asyncio.get_running_loop().time()):
            self._counters["own"] += 1
            return
        self._take(topic, payload, ())

    def _take_retained(self, topic: str | bytes, payload: bytes) -> None:
        key = key_of(str(topic), payload)
        if self._is_ours(topic) or self._last.is_known(key):
            self._counters["retained_known"] += 1
            return
        if self._subscribing:
            self._keep(topic, payload)
            return
        self._last.note(key)
        self._counters["retained"] += 1
        self._take(topic, payload, (Field(RETAINED, Type.BOOLEAN, True),))

    def _keep(self, topic: str | bytes, payload: bytes) -> None:
        self._kept_bytes += len(topic) + len(payload)
        if self._kept_bytes > KEPT_BYTES:
            self._counters["retained_dropped"] += 1
            return
        self._kept.append((topic, payload))

    def _take_kept(self) -> None:
        if not self._subscribing:
            kept, self._kept, self._kept_bytes = self._kept, [], 0
            for topic, payload in kept:
                self._take_retained(topic, payload)

    def _is_ours(self, topic: str | bytes) -> bool:
        """Tell whether what the broker kept on a topic may be the adapter's own."""
        route = self._codec.routes.route_at(str(topic))
        return route is not None and self._given.routes[route].retain

    def _take(self, topic: str | bytes, payload: bytes, marks: tuple[Field, ...]) -> None:
        if isinstance(topic, bytes):
            self.sink.set_aside("topic is not UTF-8", payload)
            return
        if is_reserved(topic):
            self._take_control(topic, payload)
            return
        try:
            heard = self._codec.to_native(topic, {}, payload, None)
        except FesError as error:
            self.sink.set_aside(f"{topic[:100]}: {error}", payload)
            return
        if heard is None:
            self._counters["servers_own"] += is_servers(topic, self._codec.routes.names.syntax)
            return
        native = heard.native
        if marks:
            kept = tuple(field for field in native.attributes if field.id != RETAINED)
            native = replace(native, attributes=(*kept, *marks))
        self.sink.heard(native, heard.stamp)

    def _take_control(self, topic: str, payload: bytes) -> None:
        if topic != CONTROL_SUBJECT or not self.context.hears_control:
            return
        try:
            event, stamp = self._codec.to_control({}, payload, None)
        except FesError as error:
            self.sink.set_aside(f"control event: {error}", payload)
            return
        self.sink.heard_control(event, stamp)

    def _forget_lost(self, link: Link) -> None:
        if link.counters.reconnected != self._reconnections:
            self._reconnections = link.counters.reconnected
            self._own.lost()

    def _connected(self) -> tuple[Link, Subscriptions]:
        if self._link is None or self._subscriptions is None:
            raise UnavailableError(f"event service {self.context.service} is not connected")
        return self._link, self._subscriptions
