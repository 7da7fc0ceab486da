"""The COSMIC adapter."""

import asyncio
from collections import Counter
from contextlib import suppress
from hashlib import blake2b
from typing import ClassVar, cast

import msgspec
from eventservices.cosmic import Broker, Bus, ChannelAttributes, Delivery, Frame, Node, NodeSettings
from eventservices.stamp import Stamp
from fes.adapter.base import Adapter, AdapterContext, Subscription
from fes.adapter.capabilities import Capabilities
from fes.control import CONTROL_SUBJECT
from fes.errors import AdapterError, CodecError, UnavailableError
from fes.mapping import Native
from fes.model import Event

from adapter_cosmic.codec import (
    altered,
    plain,
    read_record,
    timeout_s,
    to_cosmic,
    to_fes,
    to_native,
)
from adapter_cosmic.errors import native_errors
from adapter_cosmic.holdings import Holdings
from adapter_cosmic.mapping import plan
from adapter_cosmic.settings import (
    LARGEST_BYTES,
    CosmicSettings,
    bus_settings,
    read_settings,
)

ROOM_S = 1.0
"""Longest wait for a bus that does not keep up; then publications are refused."""

DRAIN_S = 1.0
"""Longest wait, before the bus is left, for what was published."""

UID_BYTES = 8

_CONTROL_CHANNEL = ChannelAttributes()


class CosmicAdapter(Adapter):
    """Connects a CAN bus: one node, among others that the process may have on it."""

    kind: ClassVar[str] = "cosmic"
    settings_type: ClassVar[type[msgspec.Struct]] = CosmicSettings
    stamp_setting: ClassVar[str] = "stamped"
    capabilities: ClassVar[Capabilities] = Capabilities(
        needs_announcement=True, stamps=False, max_event_bytes=LARGEST_BYTES
    )

    def __init__(self, context: AdapterContext) -> None:
        super().__init__(context)
        self.settings = read_settings(context)
        self._bus_settings = bus_settings(context, self.settings)
        self._key = (self.kind, self._bus_settings.interface)
        self._shared: Bus | None = None
        self._joined: Node | None = None
        self._broker: Broker | None = None
        self._announced: Counter[str] = Counter()
        self._unstamped = 0
        self._altered = 0

    @property
    def counters(self) -> dict[str, int]:
        """Counters of the node; those that begin with `bus_` are of the whole process."""
        if self._joined is None or self._shared is None:
            return {}
        bus = {f"bus_{name}": count for name, count in self._shared.totals.items()}
        ours = {"without_stamp": self._unstamped, "degraded_attributes": self._altered}
        return {**self._joined.counters, **ours, **bus}

    async def _open(self) -> None:
        with native_errors():
            self._shared = cast(
                "Bus", await self.context.pool.acquire(self._key, self._connect, Bus.close)
            )
        try:
            with native_errors():
                await self._join(self._shared)
        except BaseException:
            await self._close()
            raise

    async def _connect(self) -> Bus:
        return await Bus(self._bus_settings, self.context.clock_us).open()

    async def _join(self, bus: Bus) -> None:
        if bus.settings != self._bus_settings:
            raise AdapterError("adapters of one process have different settings for one bus")
        bus.watchers.append(self._malformed)
        if self.settings.broker == "here":
            self._broker = self._open_broker(bus)
        number = self.settings.node
        if number is None:
            number = await bus.number_for(_uid(self.context.id))
        name = NodeSettings(self.context.id, number, self.context.service)
        node = self._joined = bus.node(name)
        self._holdings = Holdings(node, self.settings, self._heard)
        if self.context.hears_control:
            await node.subscribe(CONTROL_SUBJECT, _CONTROL_CHANNEL, self._heard_control)

    def _open_broker(self, bus: Bus) -> Broker:
        channels = self.settings.channels.items()
        etags = {name: each.etag for name, each in channels if each.etag is not None}
        own = () if self.settings.node is None else (self.settings.node,)
        return Broker(bus, etags, frozenset(own))

    async def _close(self) -> None:
        shared, self._shared = self._shared, None
        node, self._joined = self._joined, None
        broker, self._broker = self._broker, None
        self._announced.clear()
        if shared is None:
            return
        if node is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(DRAIN_S):
                    await shared.drain()
            node.close()
        if broker is not None:
            broker.close()
        if self._malformed in shared.watchers:
            shared.watchers.remove(self._malformed)
        await self.context.pool.release(self._key)

    async def _announce(self, native: Native) -> None:
        if native.can_id is not None:
            return
        if native.subject is None:
            raise AdapterError("an event without subject and CAN identifier has no channel")
        if not self._announced[native.subject]:
            await self._announce_channel(native.subject, self.settings.attributes(native.subject))
        self._announced[native.subject] += 1

    async def _unannounce(self, native: Native) -> None:
        subject = native.subject
        if native.can_id is not None or subject is None or not self._announced[subject]:
            return
        self._announced[subject] -= 1
        if not self._announced[subject]:
            del self._announced[subject]
            self._node.cancel_publication(subject)

    async def _publish(self, native: Native, stamp: Stamp) -> None:
        node, bus = self._node, self._bus
        await _room(bus)
        expires_us = self._expires_us(native, stamp, bus)
        with native_errors():
            if native.can_id is not None:
                node.send_frame(
                    _frame(native),
                    stamp=stamp,
                    attributes=plain(native.attributes),
                    expires_us=expires_us or 0,
                )
            else:
                node.publish(to_cosmic(native, expires_us), stamp=stamp)
        self._altered += altered(native)

    async def _publish_control(self, event: Event, stamp: Stamp) -> None:
        if CONTROL_SUBJECT not in self._node.announced:
            await self._announce_channel(CONTROL_SUBJECT, _CONTROL_CHANNEL)
        await _room(self._bus)
        told = Native(CONTROL_SUBJECT, event.parameters, event.attributes)
        with native_errors():
            self._node.publish(to_cosmic(told, None), stamp=stamp)

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        self._check_open()
        planned = plan(subscription.filter, self.context.mapping, self.settings)
        with native_errors():
            await self._holdings.add(subscription.number, planned.wanted)
        return planned.widened

    async def _unsubscribe(self, subscription: Subscription) -> None:
        self._check_open()
        await self._holdings.remove(subscription.number)

    async def _probe(self) -> None:
        with native_errors():
            await self._bus.probe()

    @property
    def _node(self) -> Node:
        self._check_open()
        return cast("Node", self._joined)

    @property
    def _bus(self) -> Bus:
        self._check_open()
        return cast("Bus", self._shared)

    def _check_open(self) -> None:
        if self._joined is None or self._shared is None:
            raise UnavailableError(f"event service {self.context.service} is not connected")

    async def _announce_channel(self, subject: str, attributes: ChannelAttributes) -> None:
        etag = self.settings.of(subject).etag
        with native_errors():
            await self._node.announce(subject, attributes, etag=etag)

    def _expires_us(self, native: Native, stamp: Stamp, bus: Bus) -> int | None:
        """Return when an event is worth nothing any more; wall clock, None where it never is.

        Its `Timeout` counts from its producer's time, on the federation clock.
        """
        timeout = timeout_s(native)
        if not timeout:
            return None
        left_us = stamp.time_us + round(timeout * 1e6) - self.context.clock_us()
        return bus.now_us() + max(0, round(left_us / self.context.speed))

    def _moment_us(self, delivery: Delivery) -> int:
        """Return an event's time on the federation clock: its stamp's, or when its frame came."""
        if delivery.stamp is not None:
            return delivery.stamp.time_us
        ago_us = self._bus.now_us() - delivery.frame.time_us
        return self.context.clock_us() - round(ago_us * self.context.speed)

    def _malformed(self, reason: str, raw: bytes) -> None:
        if self._sink is not None:
            self._sink.set_aside(reason, raw)

    def _heard(self, delivery: Delivery) -> None:
        if self.settings.stamped and delivery.stamp is None:
            self._unstamped += 1
            self.sink.set_aside("an event without a stamp, where all have one", delivery.content)
            return
        try:
            native = to_native(delivery, self._moment_us(delivery))
        except CodecError as error:
            self.sink.set_aside(str(error), delivery.content)
            return
        self.sink.heard(native, delivery.stamp)

    def _heard_control(self, delivery: Delivery) -> None:
        try:
            event = to_fes(read_record(delivery))
        except CodecError as error:
            self.sink.set_aside(f"control event: {error}", delivery.content)
            return
        self.sink.heard_control(event, delivery.stamp)


def _frame(native: Native) -> Frame:
    if native.can_id is None or native.octets is None:
        raise AdapterError("a CAN frame needs an identifier and octets")
    return Frame(native.can_id, native.octets, native.extended)


async def _room(bus: Bus) -> None:
    """Wait for a bus that does not keep up, but not for ever."""
    with suppress(TimeoutError):
        async with asyncio.timeout(ROOM_S):
            await bus.room()


def _uid(name: str) -> bytes:
    """Return the 64-bit name by which a node asks for its number; never all 0."""
    return b"\x01" + blake2b(name.encode(), digest_size=UID_BYTES - 1).digest()
