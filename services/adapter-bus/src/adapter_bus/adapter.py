"""The adapter of a building's event buses."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, ClassVar, Final

import msgspec
from eventservices.bus import BusClient, BusOptions, BusSettings, EventBus, LocalTransport, Source
from eventservices.bus import Event as BusEvent
from eventservices.bus.binding.naming_client import NamingClient
from eventservices.bus.binding.policy_client import PolicyClient
from eventservices.natslink import NatsLink
from eventservices.stamp import Stamp
from fes.adapter.base import Adapter
from fes.adapter.context import AdapterContext, Received, ReceivedControl, Subscription
from fes.adapter.native_form import NativeForm
from fes.control import CONTROL_SUBJECT
from fes.control.flat import flatten, unflatten
from fes.federation.capabilities import Capabilities
from fes.filter import Filter
from fes.mapping import Mapping as EventMapping
from fes.mapping import Native
from fes.model import Event

from adapter_bus.codec import name_of, to_native, to_values
from adapter_bus.mapping import native_form, plan
from adapter_bus.settings import Settings
from adapter_bus.subscriptions import Subscriptions

PAYLOAD_BYTES: Final = 1024 * 1024
"""What a NATS server accepts, unless it is configured otherwise."""

MOST_SOURCES: Final = 1000
"""Most sources that the adapter keeps advertised; the one unused longest ends."""


class BusAdapter(Adapter[Settings, BusEvent]):
    """Connects a building, as one bus more."""

    kind: ClassVar[str] = "bus"
    settings_type = Settings

    def __init__(self, context: AdapterContext) -> None:
        super().__init__(context)
        self._building = self.settings.building or _token(context.service)
        self._bus_id = self.settings.bus or "fes-" + _token(context.id.partition(".")[0])[:60]
        self._sources: OrderedDict[str, Source] = OrderedDict()
        self._announced: set[str] = set()

    @classmethod
    def capabilities_for(cls, settings: Settings) -> Capabilities:
        """Return what buses can do, whatever the settings."""
        del settings
        return Capabilities(filters_at_source=True, max_event_bytes=PAYLOAD_BYTES)

    @classmethod
    def explain(
        cls, filter_: Filter, mapping: EventMapping, given: Mapping[str, Any]
    ) -> NativeForm:
        """Return the filters that buses carry for a filter."""
        return native_form(filter_, mapping, given)

    def _counted(self) -> dict[str, int]:
        own = {"subscriptions": len(self._subscriptions), "advertised": len(self._sources)}
        return {**self._bus.counters, **own}

    async def _open(self) -> None:
        self._sources.clear()
        self._announced.clear()
        brokers = self._some_brokers()
        enter, settings = self._closing.enter_async_context, self.settings
        link = await enter(NatsLink(brokers))
        naming = NamingClient(link, self._building, settings.naming) if settings.naming else None
        options = BusOptions(
            BusSettings(naming=naming is not None, policy=settings.policy),
            naming=naming,
            policy=PolicyClient(link, self._building) if settings.policy else None,
            clock_us=self.context.clock_us,
        )
        self._bus = await enter(EventBus(brokers, self._building, self._bus_id, options))
        self._bus.on_malformed = self.set_aside
        client = BusClient(
            LocalTransport(self._bus, "adapter"),
            user=settings.user,
            device=settings.device,
            auto_clean_up=False,
        )
        self._client = await enter(client)
        self._subscriptions = Subscriptions(self._client, self.receive)
        if self.context.hears_control:
            await self._client.subscribe(CONTROL_SUBJECT, self.receive)

    async def _announce(self, native: Native) -> None:
        name = name_of(native.subject or "")
        await self._source(name)
        self._announced.add(name)

    async def _unannounce(self, native: Native) -> None:
        name = name_of(native.subject or "")
        self._announced.discard(name)
        source = self._sources.pop(name, None)
        if source is not None:
            await source.unadvertise()

    async def _publish(self, native: Native, stamp: Stamp) -> None:
        name, values, attributes = to_values(native)
        source = await self._source(name)
        await source.notify(values, attributes=attributes, stamp=stamp)

    async def _publish_control(self, event: Event, stamp: Stamp) -> None:
        flat = flatten(event)
        await self._publish(Native(flat.subject, flat.parameters, flat.attributes), stamp)

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        planned = plan(subscription.filter, self.context.mapping)
        await self._subscriptions.want(subscription.number, planned.by_name)
        return planned.widened

    async def _unsubscribe(self, subscription: Subscription) -> None:
        await self._subscriptions.forget(subscription.number)

    async def _probe(self) -> None:
        await self._bus.probe()

    async def _source(self, name: str) -> Source:
        """Return the source of an event, advertised; the one unused longest ends for it."""
        source = self._sources.get(name)
        if source is None:
            source = self._sources[name] = await self._client.advertise(name)
            await self._end_surplus()
        self._sources.move_to_end(name)
        return source

    async def _end_surplus(self) -> None:
        while len(self._sources) > MOST_SOURCES:
            unused = (each for each in self._sources if each not in self._announced)
            oldest = next(unused, next(iter(self._sources)))
            self._announced.discard(oldest)
            await self._sources.pop(oldest).unadvertise()

    def _read(self, message: BusEvent) -> Received | ReceivedControl | None:
        native = to_native(message)
        if message.name != CONTROL_SUBJECT:
            return Received(native, message.stamp)
        control = unflatten(Event(CONTROL_SUBJECT, native.parameters, native.attributes))
        return ReceivedControl(control, message.stamp)

    def _raw(self, message: BusEvent) -> bytes:
        return msgspec.msgpack.encode(message)

    def _named(self, message: BusEvent) -> str:
        return "control event" if message.name == CONTROL_SUBJECT else message.name[:100]


def _token(text: str) -> str:
    """Return an identifier with `_` for what a bus's may not have."""
    return "".join(each if each.isascii() and each.isalnum() else "_" for each in text)[:64] or "_"
