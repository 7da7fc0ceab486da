"""The adapter of a building's event buses."""

from collections import OrderedDict
from contextlib import AsyncExitStack
from typing import ClassVar, Final

import msgspec
from eventservices.bus import (
    BusClient,
    BusOptions,
    BusSettings,
    EventBus,
    LocalTransport,
    Source,
)
from eventservices.bus import Event as BusEvent
from eventservices.bus.binding.naming_client import NamingClient
from eventservices.bus.binding.policy_client import PolicyClient
from eventservices.natslink import NatsLink
from eventservices.stamp import Stamp
from fes.adapter.base import Adapter, AdapterContext, Subscription
from fes.adapter.capabilities import Capabilities
from fes.control import CONTROL_SUBJECT
from fes.control.flat import flatten, unflatten
from fes.errors import AdapterError, FesError, UnavailableError
from fes.mapping import Native
from fes.model import Event

from adapter_bus import settings
from adapter_bus.codec import name_of, to_native, to_values
from adapter_bus.errors import native_errors
from adapter_bus.mapping import plan
from adapter_bus.subscriptions import Subscriptions

PAYLOAD_BYTES: Final = 1024 * 1024
"""What a NATS server takes, unless it is configured otherwise."""

MOST_SOURCES: Final = 1000
"""Most sources that the adapter keeps advertised; the one unused longest ends."""


class BusAdapter(Adapter):
    """Connects a building, as one bus more.

    Args:
        context: Where it stands.

    Raises:
        AdapterError: A setting is not good.
    """

    kind: ClassVar[str] = "bus"
    settings_type: ClassVar[type[msgspec.Struct]] = settings.Settings
    capabilities: ClassVar[Capabilities] = Capabilities(
        filters_at_source=True, max_event_bytes=PAYLOAD_BYTES
    )

    def __init__(self, context: AdapterContext) -> None:
        super().__init__(context)
        self._given = settings.read(context.settings)
        self._building = self._given.building or _token(context.service)
        self._bus_id = self._given.bus or "fes-" + _token(context.id.partition(".")[0])[:60]
        self._stack: AsyncExitStack | None = None
        self._bus: EventBus | None = None
        self._client: BusClient | None = None
        self._subscriptions: Subscriptions | None = None
        self._sources: OrderedDict[str, Source] = OrderedDict()
        self._announced: set[str] = set()

    @property
    def counters(self) -> dict[str, int]:
        """Counters of the adapter's own bus."""
        if self._bus is None or self._subscriptions is None:
            return {}
        own = {"subscriptions": len(self._subscriptions), "advertised": len(self._sources)}
        return {**self._bus.counters, **own}

    async def _open(self) -> None:
        brokers = self.context.brokers
        if not brokers:
            raise AdapterError(f"event service {self.context.service}: no broker is named")
        stack = self._stack = AsyncExitStack()
        try:
            with native_errors():
                self._bus = await self._made(stack)
                self._bus.on_malformed = self._malformed
                transport = LocalTransport(self._bus, "adapter")
                user, device = self._given.user, self._given.device
                client = BusClient(transport, user=user, device=device, auto_clean_up=False)
                self._client = await stack.enter_async_context(client)
                self._subscriptions = Subscriptions(self._client, self._take)
                if self.context.hears_control:
                    await self._client.subscribe(CONTROL_SUBJECT, self._take_control)
        except BaseException:
            await self._close()
            raise

    async def _made(self, stack: AsyncExitStack) -> EventBus:
        given, brokers = self._given, self.context.brokers
        link = await stack.enter_async_context(NatsLink(brokers))
        naming = NamingClient(link, self._building, given.naming) if given.naming else None
        policy = PolicyClient(link, self._building) if given.policy else None
        options = BusOptions(
            BusSettings(naming=naming is not None, policy=given.policy),
            naming=naming,
            policy=policy,
            clock_us=self.context.clock_us,
        )
        bus = EventBus(brokers, self._building, self._bus_id, options)
        return await stack.enter_async_context(bus)

    async def _close(self) -> None:
        stack, self._stack = self._stack, None
        self._bus = self._client = self._subscriptions = None
        self._sources.clear()
        self._announced.clear()
        if stack is not None:
            await stack.aclose()

    async def _announce(self, native: Native) -> None:
        name = name_of(native.subject or "")
        with native_errors():
            await self._source(name)
        self._announced.add(name)

    async def _unannounce(self, native: Native) -> None:
        name = name_of(native.subject or "")
        self._announced.discard(name)
        source = self._sources.pop(name, None)
        if source is not None:
            with native_errors():
                await source.unadvertise()

    async def _publish(self, native: Native, stamp: Stamp) -> None:
        name, values, attributes = to_values(native)
        with native_errors():
            source = await self._source(name)
            await source.notify(values, attributes=attributes, stamp=stamp)

    async def _publish_control(self, event: Event, stamp: Stamp) -> None:
        flat = flatten(event)
        await self._publish(Native(flat.subject, flat.parameters, flat.attributes), stamp)

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        _, subscriptions = self._connected()
        planned = plan(subscription.filter, self.context.mapping)
        with native_errors():
            await subscriptions.want(subscription.number, planned.by_name)
        return planned.widened

    async def _unsubscribe(self, subscription: Subscription) -> None:
        _, subscriptions = self._connected()
        with native_errors():
            await subscriptions.forget(subscription.number)

    async def _probe(self) -> None:
        self._connected()
        assert self._bus is not None  # noqa: S101 - connected
        with native_errors():
            await self._bus.probe()

    async def _source(self, name: str) -> Source:
        """Return the source of an event, advertised; the one unused longest ends for it."""
        client, _ = self._connected()
        source = self._sources.get(name)
        if source is None:
            source = self._sources[name] = await client.advertise(name)
            while len(self._sources) > MOST_SOURCES:
                oldest = next(each for each in self._sources if each not in self._announced)
                await self._sources.pop(oldest).unadvertise()
        self._sources.move_to_end(name)
        return source

    def _take(self, event: BusEvent) -> None:
        try:
            native = to_native(event)
        except FesError as error:
            self.sink.set_aside(f"{event.name[:100]}: {error}", repr(event.values).encode()[:1000])
            return
        self.sink.heard(native, event.stamp)

    def _take_control(self, event: BusEvent) -> None:
        try:
            native = to_native(event)
            control = unflatten(Event(CONTROL_SUBJECT, native.parameters, native.attributes))
        except FesError as error:
            self.sink.set_aside(f"control event: {error}", repr(event.values).encode()[:1000])
            return
        self.sink.heard_control(control, event.stamp)

    def _malformed(self, reason: str, raw: bytes) -> None:
        self.sink.set_aside(reason, raw)

    def _connected(self) -> tuple[BusClient, Subscriptions]:
        if self._client is None or self._subscriptions is None:
            raise UnavailableError(f"event service {self.context.service} is not connected")
        return self._client, self._subscriptions


def _token(text: str) -> str:
    """Return an identifier with `_` for what a bus's may not have."""
    return "".join(each if each.isascii() and each.isalnum() else "_" for each in text)[:64] or "_"
