"""The CNS adapter."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar, Final, NamedTuple

from eventservices.cns import (
    ChannelOptions,
    Connection,
    EventChannel,
    EventType,
    QoS,
    Reliability,
    StructuredEvent,
)
from eventservices.cns.errors import DisconnectedError
from eventservices.cns.event_supplier import EventSupplier
from eventservices.cns.persistent.streams import ACK_WAIT_S, DUPLICATE_WINDOW_S
from eventservices.counting import counts_of
from eventservices.errors import EventServiceError
from eventservices.natslink import LinkOptions
from eventservices.stamp import Stamp
from fes.adapter.base import Adapter
from fes.adapter.context import AdapterContext, Received, ReceivedControl, Subscription
from fes.adapter.inbound.acknowledgements import Answer
from fes.adapter.native_form import NativeForm
from fes.adapter.plain.persistent import persistent
from fes.control import CONTROL_SUBJECT
from fes.control.flat import flatten, unflatten
from fes.errors import UnavailableError
from fes.federation.capabilities import Capabilities
from fes.filter import Filter
from fes.mapping import Mapping as EventMapping
from fes.mapping import Native
from fes.model import Event
from fes.model.attributes import PRIORITY

from adapter_cns.codec import attributes_of, parameters_of, structured_of
from adapter_cns.constraints import ConstraintMapping
from adapter_cns.consumer import Consumer
from adapter_cns.event_types import ANYS
from adapter_cns.mapping import ANY_NAME, Forms, native_form
from adapter_cns.observed import MARK, Declarations
from adapter_cns.settings import Settings

PAYLOAD_BYTES: Final = 1024 * 1024
"""Largest payload that a NATS server accepts by default."""

OPEN_TIMEOUT_S: Final = 5.0

_CONTROL: Final = EventType("*", CONTROL_SUBJECT)


class CnsMessage(NamedTuple):
    """An event from the native consumer.

    Attributes:
        event: The event.
        stamp: None where its supplier does not stamp.
        is_kept: Whether the channel keeps it until it is answered.
    """

    event: StructuredEvent
    stamp: Stamp | None
    is_kept: bool


class CnsAdapter(Adapter[Settings, CnsMessage]):
    """Connects a channel of the CORBA Notification Service.

    Adapters of one process and one broker share a native connection; each is a client of its
    channel.
    """

    kind: ClassVar[str] = "cns"
    settings_type = Settings
    # A missing proxy was closed during its use: the adapter is being disconnected.
    away_errors = (DisconnectedError,)

    def __init__(self, context: AdapterContext) -> None:
        super().__init__(context)
        self._channel_name = self.settings.channel or context.service
        self._forms = Forms(self.settings, context.mapping)
        self._constraints = ConstraintMapping(self.settings, context.mapping)
        self._key = (self.kind, context.brokers)
        self._declarations: Declarations | None = None

    @classmethod
    def capabilities_for(cls, settings: Settings) -> Capabilities:
        """Return what a channel can do: one that keeps events is pulled, and filters nothing."""
        return Capabilities(
            filters_at_source=not settings.persistent,
            observes=("subscriptions", "announcements"),
            honours=(PRIORITY,),
            persistent=settings.persistent,
            pull=settings.persistent or settings.mode == "pull",
            max_event_bytes=PAYLOAD_BYTES,
            redelivers_s=ACK_WAIT_S,
            deduplicates_s=DUPLICATE_WINDOW_S,
        )

    @classmethod
    def explain(
        cls, filter_: Filter, mapping: EventMapping, given: Mapping[str, Any]
    ) -> NativeForm:
        """Return the event types and constraints of a filter."""
        return native_form(filter_, mapping, given)

    def _counted(self) -> dict[str, int]:
        """Return counters of the channel, and of the connection that adapters share."""
        link = counts_of(self._connection.link.counters)
        return {
            "received": self._channel.received,
            "malformed": self._channel.malformed,
            "attributes_left_out": self._forms.left_out,
            **self._consumer.counters,
            **self._supplier.counters,
            **{f"link_{name}": count for name, count in link.items()},
        }

    async def _open(self) -> None:
        self._some_brokers()
        connection = self._connection = await self._pooled(
            self._key, self._connect, Connection.close
        )
        options = ChannelOptions(client=f"{MARK}{self.context.id}", home=self.context.service)
        kept: dict[str, object] = {}
        if self.settings.persistent:
            kept[QoS.CONNECTION_RELIABILITY] = Reliability.PERSISTENT
        channel = self._channel = await connection.open_channel(
            self._channel_name, options, qos=kept
        )
        self._closing.push_async_callback(_left, channel)
        always = frozenset({_CONTROL}) if self.context.hears_control else frozenset()
        channel.on_malformed(self.set_aside)
        durable = self.context.id if self.settings.persistent else ""
        pull = self.capabilities.pull
        self._consumer = Consumer(channel, self._take, always, pull=pull, durable=durable)
        self._supplier = EventSupplier(channel)
        await self._supplier.open()
        await self._consumer.open()

    async def _connect(self) -> Connection:
        # The first adapter names the connection: unique in the system, and the same after a
        # restart. Each adapter has a name of its own among the members of its channel.
        name = f"{self.context.system}/{self.context.id}"
        link = LinkOptions(open_timeout_s=OPEN_TIMEOUT_S, apart=True)
        return await Connection(self.context.brokers, name=name, link=link).open()

    async def _observe(self) -> None:
        if self._declarations is None:
            self._declarations = Declarations(
                self._channel,
                self.settings,
                self.context.mapping,
                self._forms,
                self.sink.observed,
            )
            self._closing.callback(self._end_observing, self._declarations)
        self._declarations.open()

    def _end_observing(self, declarations: Declarations) -> None:
        self._declarations = None
        declarations.close()

    async def _publish(self, native: Native, stamp: Stamp) -> None:
        await self._supplier.push(self._forms.to_native(native), stamp)

    async def _publish_control(self, event: Event, stamp: Stamp) -> None:
        flat = flatten(event)
        made = structured_of(flat.subject, flat.parameters, flat.attributes, self._forms.naming)
        await self._supplier.push(made, stamp)

    async def _announce(self, native: Native) -> None:
        await self._supplier.offer(self._forms.event_type(native))

    async def _unannounce(self, native: Native) -> None:
        await self._supplier.withdraw(self._forms.event_type(native))

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        found = self._constraints.translate(subscription.filter)
        more = await self._consumer.add(subscription.number, found.expressions)
        return (*found.widened, *([ANYS] if found.anys else []), *more)

    async def _unsubscribe(self, subscription: Subscription) -> None:
        await self._consumer.remove(subscription.number)

    async def _probe(self) -> None:
        await self._connection.probe(shared=True)
        if self._consumer.failure:
            raise UnavailableError(self._consumer.failure)

    def _take(self, event: StructuredEvent, stamp: Stamp | None, answer: Answer | None) -> None:
        self.receive(CnsMessage(event, stamp, answer is not None), answer)

    def _read(self, message: CnsMessage) -> Received | ReceivedControl | None:
        event, stamp = message.event, message.stamp
        type_name = event.header.fixed_header.event_type.type_name
        if type_name == CONTROL_SUBJECT:
            return self._read_control(event, stamp)
        if type_name == ANY_NAME:
            time_us = None if stamp is None else stamp.time_us
            native = self._forms.from_any(event.remainder_of_body, time_us)
        else:
            native = self._forms.from_structured(event)
        return Received(persistent(native) if message.is_kept else native, stamp)

    def _read_control(self, event: StructuredEvent, stamp: Stamp | None) -> ReceivedControl | None:
        if not self.context.hears_control:
            return None
        parameters = parameters_of(event, event.remainder_of_body)
        attributes = attributes_of(event, self._forms.naming)
        control = unflatten(Event(CONTROL_SUBJECT, parameters, attributes))
        return ReceivedControl(control, stamp)

    def _raw(self, message: CnsMessage) -> bytes:
        return repr(message.event)[:1000].encode("utf-8", "replace")


async def _left(channel: EventChannel) -> None:
    """Leave a channel; members that are not notified miss this one's heartbeats."""
    with suppress(EventServiceError):
        await channel.close()
