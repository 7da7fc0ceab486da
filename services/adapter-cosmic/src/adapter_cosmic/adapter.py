"""The COSMIC adapter."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from hashlib import blake2b
from typing import Any, ClassVar

from eventservices.cosmic import Broker, Bus, ChannelAttributes, Delivery, Frame, NodeSettings
from eventservices.cosmic import Subscription as NativeSubscription
from eventservices.stamp import Stamp
from fes.adapter.base import Adapter
from fes.adapter.context import AdapterContext, Received, ReceivedControl, Subscription
from fes.adapter.native_form import NativeForm
from fes.adapter.outbound.held import Held
from fes.control import CONTROL_SUBJECT
from fes.errors import AdapterError, CodecError
from fes.federation.capabilities import Capabilities
from fes.filter import Filter
from fes.mapping import Mapping as EventMapping
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
from adapter_cosmic.mapping import Wanted, native_form, plan
from adapter_cosmic.settings import (
    LARGEST_BYTES,
    CosmicSettings,
    bus_settings,
)

ROOM_S = 1.0
"""Longest wait for a bus that does not keep up; then publications are refused."""

DRAIN_S = 1.0
"""Longest wait for publications to be sent before the bus is left."""

UID_BYTES = 8

_CONTROL_CHANNEL = ChannelAttributes()


class CosmicAdapter(Adapter[CosmicSettings, Delivery]):
    """Connects a CAN bus: one node, of several that the process may have on it."""

    kind: ClassVar[str] = "cosmic"
    settings_type = CosmicSettings
    stamp_setting: ClassVar[str] = "stamped"

    def __init__(self, context: AdapterContext) -> None:
        super().__init__(context)
        self._bus_settings = bus_settings(context, self.settings)
        self._key = (self.kind, self._bus_settings.interface)
        self._announced: Counter[str] = Counter()
        self._unstamped = 0
        self._altered = 0

    @classmethod
    def capabilities_for(cls, settings: CosmicSettings) -> Capabilities:
        """Return what a CAN bus can do; with `stamped` no event without a stamp is received."""
        return Capabilities(
            needs_announcement=True, stamps=settings.stamped, max_event_bytes=LARGEST_BYTES
        )

    @classmethod
    def explain(
        cls, filter_: Filter, mapping: EventMapping, given: Mapping[str, Any]
    ) -> NativeForm:
        """Return the channels and frames of a filter."""
        return native_form(filter_, mapping, given)

    def _counted(self) -> dict[str, int]:
        """Return counters of the node; those that begin with `bus_` are of the whole process."""
        bus = {f"bus_{name}": count for name, count in self._bus.totals.items()}
        ours = {"without_stamp": self._unstamped, "degraded_attributes": self._altered}
        return {**self._node.counters, **ours, **bus}

    async def _open(self) -> None:
        bus = self._bus = await self._pooled(self._key, self._connect, Bus.close)
        if bus.settings != self._bus_settings:
            raise AdapterError("adapters of one process have different settings for one bus")
        bus.watchers.append(self.set_aside)
        self._closing.callback(bus.watchers.remove, self.set_aside)
        if self.settings.broker == "here":
            self._closing.callback(self._open_broker(bus).close)
        number = self.settings.node
        if number is None:
            number = await bus.number_for(_uid(self.context.id))
        node = self._node = bus.node(NodeSettings(self.context.id, number, self.context.service))
        self._closing.callback(node.close)
        self._closing.push_async_callback(_waited, bus.drain, DRAIN_S)
        self._closing.callback(self._announced.clear)
        self._held = Held(self._subscribe_natively, self._cancel)
        if self.context.hears_control:
            await node.subscribe(CONTROL_SUBJECT, _CONTROL_CHANNEL, self.receive)

    async def _connect(self) -> Bus:
        return await Bus(self._bus_settings, self.context.clock_us).open()

    def _open_broker(self, bus: Bus) -> Broker:
        channels = self.settings.channels.items()
        etags = {name: each.etag for name, each in channels if each.etag is not None}
        own = () if self.settings.node is None else (self.settings.node,)
        return Broker(bus, etags, frozenset(own))

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
        await _waited(self._bus.room, ROOM_S)
        expires_us = self._expires_us(native, stamp)
        if native.can_id is not None:
            self._node.send_frame(
                _frame(native),
                stamp=stamp,
                attributes=plain(native.attributes),
                expires_us=expires_us or 0,
            )
        else:
            self._node.publish(to_cosmic(native, expires_us), stamp=stamp)
        self._altered += altered(native)

    async def _publish_control(self, event: Event, stamp: Stamp) -> None:
        if CONTROL_SUBJECT not in self._node.announced:
            await self._announce_channel(CONTROL_SUBJECT, _CONTROL_CHANNEL)
        await _waited(self._bus.room, ROOM_S)
        told = Native(CONTROL_SUBJECT, event.parameters, event.attributes)
        self._node.publish(to_cosmic(told, None), stamp=stamp)

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        planned = plan(subscription.filter, self.context.mapping, self.settings)
        await self._held.add(subscription.number, planned.wanted)
        return planned.widened

    async def _unsubscribe(self, subscription: Subscription) -> None:
        await self._held.remove(subscription.number)

    async def _subscribe_natively(self, wanted: Wanted) -> NativeSubscription:
        attributes = self.settings.attributes(wanted.subject)
        if wanted.can_id >= 0:
            return self._node.listen(
                wanted.can_id,
                attributes,
                self.receive,
                extended=wanted.extended,
                group=wanted.group,
            )
        etag = self.settings.of(wanted.subject).etag
        return await self._node.subscribe(wanted.subject, attributes, self.receive, etag=etag)

    async def _cancel(self, native: NativeSubscription) -> None:
        self._node.cancel_subscription(native)

    async def _probe(self) -> None:
        await self._bus.probe()

    async def _announce_channel(self, subject: str, attributes: ChannelAttributes) -> None:
        etag = self.settings.of(subject).etag
        await self._node.announce(subject, attributes, etag=etag)

    def _expires_us(self, native: Native, stamp: Stamp) -> int | None:
        """Return when an event expires, wall clock; None where it never does.

        Its `Timeout` is measured from its producer's time, on the federation clock.
        """
        timeout = timeout_s(native)
        if not timeout:
            return None
        left_us = stamp.time_us + round(timeout * 1e6) - self.context.clock_us()
        return self._bus.now_us() + max(0, round(left_us / self.context.speed))

    def _moment_us(self, delivery: Delivery) -> int:
        """Return an event's time on the federation clock.

        Its stamp's, or when its frame arrived.
        """
        if delivery.stamp is not None:
            return delivery.stamp.time_us
        ago_us = self._bus.now_us() - delivery.frame.time_us
        return self.context.clock_us() - round(ago_us * self.context.speed)

    def _read(self, message: Delivery) -> Received | ReceivedControl:
        if message.subject == CONTROL_SUBJECT:
            return ReceivedControl(to_fes(read_record(message)), message.stamp)
        if self.settings.stamped and message.stamp is None:
            self._unstamped += 1
            raise CodecError("an event without a stamp, where all have one")
        return Received(to_native(message, self._moment_us(message)), message.stamp)

    def _raw(self, message: Delivery) -> bytes:
        return message.content

    def _named(self, message: Delivery) -> str:
        return "control event" if message.subject == CONTROL_SUBJECT else ""


def _frame(native: Native) -> Frame:
    if native.can_id is None or native.octets is None:
        raise AdapterError("a CAN frame needs an identifier and octets")
    return Frame(native.can_id, native.octets, native.extended)


async def _waited(act: Callable[[], Awaitable[None]], most_s: float) -> None:
    """Wait for a bus that does not keep up, but not for ever."""
    with suppress(TimeoutError):
        async with asyncio.timeout(most_s):
            await act()


def _uid(name: str) -> bytes:
    """Return the 64-bit name by which a node requests its number; never all 0."""
    return b"\x01" + blake2b(name.encode(), digest_size=UID_BYTES - 1).digest()
