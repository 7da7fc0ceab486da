"""The CNS adapter."""

from contextlib import suppress
from dataclasses import asdict, replace
from typing import ClassVar, Final, cast

import msgspec
from eventservices.cns import (
    ChannelOptions,
    Connection,
    EventChannel,
    EventType,
    QoS,
    Reliability,
    StructuredEvent,
)
from eventservices.cns.persistent.streams import ACK_WAIT_S, DUPLICATE_WINDOW_S
from eventservices.errors import EventServiceError
from eventservices.natslink import LinkOptions
from eventservices.stamp import Stamp
from fes.adapter.base import Adapter, AdapterContext, Subscription
from fes.adapter.capabilities import Capabilities
from fes.adapter.inbound.acknowledgements import Answer
from fes.control import CONTROL_SUBJECT
from fes.control.flat import flatten, unflatten
from fes.errors import AdapterError, FesError, UnavailableError
from fes.mapping import Native
from fes.model import Event, Field, Type
from fes.model.attributes import PRIORITY, RELIABILITY

from adapter_cns import settings
from adapter_cns.codec import attributes_of, parameters_of, structured_of
from adapter_cns.constraints import ConstraintMapping
from adapter_cns.consumer import Consumer
from adapter_cns.errors import as_adapter_error, told
from adapter_cns.event_types import ANYS
from adapter_cns.mapping import ANY_NAME, Forms
from adapter_cns.observed import MARK, Declarations
from adapter_cns.supplier import Supplier

PAYLOAD_BYTES: Final = 1024 * 1024
"""What a NATS server takes, unless it is configured otherwise."""

OPEN_TIMEOUT_S: Final = 5.0

_CONTROL: Final = EventType("*", CONTROL_SUBJECT)
_PERSISTENT: Final = Field(RELIABILITY, Type.LONG, 1)


class CnsAdapter(Adapter):
    """Connects a channel of the CORBA Notification Service.

    Adapters of one process and one broker share a native connection; each is a client of its
    channel.

    Args:
        context: Where it stands.

    Raises:
        AdapterError: A setting is not good.
    """

    kind: ClassVar[str] = "cns"
    settings_type: ClassVar[type[msgspec.Struct]] = settings.Settings
    capabilities: ClassVar[Capabilities] = Capabilities(
        filters_at_source=True,
        observes=("subscriptions", "announcements"),
        honours=(PRIORITY,),
        max_event_bytes=PAYLOAD_BYTES,
    )
    redelivers_s: ClassVar[float] = ACK_WAIT_S
    deduplicates_s: ClassVar[float] = DUPLICATE_WINDOW_S

    def __init__(self, context: AdapterContext) -> None:
        super().__init__(context)
        given = settings.read(context.settings)
        # What the channel can do depends on what the file says of it.
        vars(self)["capabilities"] = replace(
            self.capabilities,
            persistent=given.persistent,
            pull=given.persistent or given.mode == "pull",
            filters_at_source=not given.persistent,
        )
        self._given = given
        self._channel_name = given.channel or context.service
        self._forms = Forms(given, context.mapping)
        self._constraints = ConstraintMapping(given, context.mapping)
        self._pulls = given.mode == "pull"
        self._key = (self.kind, context.brokers)
        self._connection: Connection | None = None
        self._channel: EventChannel | None = None
        self._declarations: Declarations | None = None

    @property
    def counters(self) -> dict[str, int]:
        """Counters of the channel, and of the connection, which adapters of a process share."""
        if self._connection is None or self._channel is None:
            return {}
        link = asdict(self._connection.link.counters)
        return {
            "received": self._channel.received,
            "malformed": self._channel.malformed,
            "attributes_left_out": self._forms.left_out,
            **self._consumer.counters,
            **self._supplier.counters,
            **{f"link_{name}": count for name, count in link.items()},
        }

    async def _open(self) -> None:
        if not self.context.brokers:
            raise AdapterError(f"event service {self.context.service}: no broker is named")
        with told():
            found = await self.context.pool.acquire(self._key, self._connect, Connection.close)
        self._connection = cast("Connection", found)
        try:
            with told():
                await self._join(self._connection)
        except BaseException:
            await self._close()
            raise

    async def _connect(self) -> Connection:
        # The first adapter that asks names the connection: unique in the system, and the same
        # after a restart. Each adapter has a name of its own among the members of its channel.
        name = f"{self.context.system}/{self.context.id}"
        link = LinkOptions(open_timeout_s=OPEN_TIMEOUT_S)
        return await Connection(self.context.brokers, name=name, link=link).open()

    async def _join(self, connection: Connection) -> None:
        client = f"{MARK}{self.context.id}"
        options = ChannelOptions(client=client, home=self.context.service)
        kept: dict[str, object] = {}
        if self._given.persistent:
            kept[QoS.CONNECTION_RELIABILITY] = Reliability.PERSISTENT
        self._channel = await connection.open_channel(self._channel_name, options, qos=kept)
        always = frozenset({_CONTROL}) if self.context.hears_control else frozenset()
        self._channel.on_malformed(self._malformed)
        durable = self.context.id if self._given.persistent else ""
        self._consumer = Consumer(
            self._channel, self._take, always, pull=self._pulls, durable=durable
        )
        self._supplier = Supplier(self._channel)
        await self._supplier.open()
        await self._consumer.open()

    async def _close(self) -> None:
        declarations, self._declarations = self._declarations, None
        if declarations is not None:
            declarations.close()
        channel, self._channel = self._channel, None
        connection, self._connection = self._connection, None
        try:
            if channel is not None:
                with suppress(EventServiceError):  # it leaves; who is not told misses its beats
                    await channel.close()
        finally:
            if connection is not None:
                await self.context.pool.release(self._key)

    async def _observe(self) -> None:
        self._check_open()
        if self._declarations is None:
            channel = cast("EventChannel", self._channel)
            self._declarations = Declarations(
                channel, self._given, self.context.mapping, self._forms, self.sink.observed
            )
        self._declarations.open()

    async def _publish(self, native: Native, stamp: Stamp) -> None:
        self._check_open()
        try:
            await self._supplier.push(self._forms.to_native(native), stamp)
        except EventServiceError as error:
            raise as_adapter_error(error) from error

    async def _publish_control(self, event: Event, stamp: Stamp) -> None:
        self._check_open()
        flat = flatten(event)
        naming = self._forms.naming
        made = structured_of(flat.subject, flat.parameters, flat.attributes, naming)
        with told():
            await self._supplier.push(made, stamp)

    async def _announce(self, native: Native) -> None:
        self._check_open()
        with told():
            await self._supplier.offer(self._forms.event_type(native))

    async def _unannounce(self, native: Native) -> None:
        self._check_open()
        with told():
            await self._supplier.withdraw(self._forms.event_type(native))

    async def _subscribe(self, subscription: Subscription) -> tuple[str, ...]:
        self._check_open()
        found = self._constraints.translate(subscription.filter)
        with told():
            more = await self._consumer.add(subscription.number, found.expressions)
        return (*found.widened, *([ANYS] if found.anys else []), *more)

    async def _unsubscribe(self, subscription: Subscription) -> None:
        self._check_open()
        with told():
            await self._consumer.remove(subscription.number)

    async def _probe(self) -> None:
        connection = self._check_open()
        with told():
            await connection.probe(shared=True)
        if self._consumer.failure:
            raise UnavailableError(self._consumer.failure)

    def _malformed(self, reason: str, raw: bytes) -> None:
        if self._sink is not None:
            self._sink.set_aside(reason, raw)

    def _take(self, event: StructuredEvent, stamp: Stamp | None, answer: Answer | None) -> None:
        sink = self._sink
        if sink is None:
            return
        type_name = event.header.fixed_header.event_type.type_name
        try:
            if type_name == ANY_NAME:
                time_us = None if stamp is None else stamp.time_us
                native = self._forms.from_any(event.remainder_of_body, time_us)
            elif type_name == CONTROL_SUBJECT:
                self._take_control(event, stamp)
                _finish(answer)
                return
            else:
                native = self._forms.from_structured(event)
        except FesError as error:
            sink.set_aside(str(error), repr(event)[:1000].encode("utf-8", "replace"))
            _finish(answer)
            return
        sink.heard(native if answer is None else _kept(native), stamp, answer)

    def _take_control(self, event: StructuredEvent, stamp: Stamp | None) -> None:
        if not self.context.hears_control:
            return
        parameters = parameters_of(event, event.remainder_of_body)
        attributes = attributes_of(event, self._forms.naming)
        self.sink.heard_control(unflatten(Event(CONTROL_SUBJECT, parameters, attributes)), stamp)

    def _check_open(self) -> Connection:
        if self._connection is None or self._channel is None:
            raise UnavailableError(f"event service {self.context.service} is not connected")
        return self._connection


def _kept(native: Native) -> Native:
    """Return an event that its channel keeps, as one that says so itself."""
    if any(field.id == RELIABILITY for field in native.attributes):
        return native
    return replace(native, attributes=(*native.attributes, _PERSISTENT))


def _finish(answer: Answer | None) -> None:
    """Have the store forget an event that is not one for the gateway."""
    if answer is not None:
        answer(True)
