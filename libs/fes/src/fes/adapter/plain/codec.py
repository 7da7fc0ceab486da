"""Events as messages of systems that know nothing of the federation: topic, headers, payload.

Shared by the adapters of topic-based brokers: routes, payloads, control events.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from eventservices.stamp import Stamp

from fes.adapter.context import Received, ReceivedControl
from fes.adapter.plain.fields import lacking
from fes.control import CONTROL_SUBJECT
from fes.control.flat import flatten, unflatten
from fes.errors import CodecError, MappingError
from fes.mapping import Mapping as EventMapping
from fes.mapping import Native
from fes.mapping.topics.levels import TopicNames
from fes.mapping.topics.routes import MAX_ROUTES, Routes, route_of
from fes.model import Event, Field
from fes.payload.bindings import NATS, Binding
from fes.payload.bodies import SchemaCodec
from fes.payload.headers import read_attributes
from fes.payload.losses import Losses
from fes.payload.packing import Packed, Packing, Payload
from fes.payload.sparkplug.attributes import OWN

if TYPE_CHECKING:  # its library is optional
    from fes.payload.sparkplug.codec import SparkplugCodec

PAYLOAD_FACTOR: Final = 2
"""By which factor a payload may be larger than the largest event; text needs more room."""


@dataclass(frozen=True, slots=True)
class RouteText:
    """A route, as in the file.

    Attributes:
        topic: Levels are literal, or `{name}` for a parameter.
        event: Native subject of its events.
        payload: How its payloads are written.
        value: Name of the parameter that a payload of one value is; "" where it is an object.
        schema: Of Avro or Protobuf payloads; None where there is none.
    """

    topic: str
    event: str
    payload: Payload
    value: str = ""
    schema: SchemaCodec | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """A message to publish.

    Attributes:
        topic: Valid at the service, never a wildcard.
        packed: Headers and payload.
        route: Index of the route that it follows; None where there is none.
    """

    topic: str
    packed: Packed
    route: int | None


def make_routes(texts: Sequence[RouteText], names: TopicNames) -> Routes:
    """Return compiled routes.

    Raises:
        ValueError: There are too many, or one is not valid; the message states which.
    """
    if len(texts) > MAX_ROUTES:
        raise ValueError(f"{len(texts)} routes, more than {MAX_ROUTES}")
    return Routes([route_of(each.topic, each.event, names) for each in texts], names)


class PlainCodec:
    """Writes and reads messages.

    Args:
        names: How native names become names of fields.
        routes: As the file has them.
        default: What applies where no route fits; its topic and event are not used.
        mapping: Its rules state which events have octets with a layout as payload.
        largest_bytes: Largest payload that is read.
        binding: How headers have CloudEvents in binary mode; None where messages have no headers.
        losses: Counts what payloads cannot carry.
        sparkplug: Reads payloads of Sparkplug; None where there are none.

    Attributes:
        routes: Made ready.
        losses: What payloads could not carry.
        sparkplug: Reads payloads of Sparkplug.
    """

    def __init__(
        self,
        names: TopicNames,
        routes: Sequence[RouteText],
        default: RouteText,
        mapping: EventMapping,
        largest_bytes: int,
        *,
        binding: Binding | None = NATS,
        losses: Losses | None = None,
        sparkplug: "SparkplugCodec | None" = None,
    ) -> None:
        self.routes = make_routes(routes, names)
        self.losses = losses or Losses()
        self.sparkplug = sparkplug
        self._default = _packing_of(default, binding)
        self._packings = [_packing_of(each, binding) for each in routes]
        self._control = Packing(
            "json" if binding else "cloudevents", embeds=not binding, binding=binding or NATS
        )
        self._largest_bytes = largest_bytes
        self._laid_out = frozenset(
            rule.native_subject
            for rule in mapping.rules
            if rule.rule.direction != "out" and (rule.frame is not None or rule.plugin is not None)
        )

    def counters(self) -> dict[str, int]:
        """Return what payloads lost, by name; `nulls` are members absent from the events."""
        nulls = self._default.nulls + sum(each.nulls for each in self._packings)
        if self.sparkplug is None:
            return {"nulls": nulls, **self.losses.by_name()}
        own = self.sparkplug.counters()
        return {**own, "nulls": nulls + self.sparkplug.nulls, **self.losses.by_name()}

    def to_message(self, native: Native, stamp: Stamp, beside: Collection[str] = ()) -> Message:
        """Return the message of a native event.

        Args:
            native: The event.
            stamp: Its stamp.
            beside: Names of parameters that the message has beside its payload, too; a payload of
                one value has no room for them.

        Raises:
            MappingError: It has no topic.
            CodecError: Its payload cannot be encoded.
        """
        subject = native.subject
        if subject is None:
            raise MappingError("a message has a subject, a CAN frame has none")
        topic, parameters, route = self.routes.place(subject, native.parameters)
        if beside and self._packing(route).has_one_value:
            parameters = tuple(field for field in parameters if field.id not in beside)
        if native.octets is not None:
            if parameters:
                raise MappingError("a payload is either octets or parameters")
            packed = self._default.pack_octets(native.octets, native.attributes)
        else:
            packed = self._packed(topic, route, replace(native, parameters=parameters), stamp)
        return Message(topic, packed, route)

    def to_native(
        self, topic: str, headers: Mapping[str, str], payload: bytes, stamp: Stamp | None
    ) -> Received | None:
        """Return the native event of a message; None where it is the server's own.

        Raises:
            MappingError: Its subject would be published under another topic.
            CodecError: It cannot be read.
        """
        taken = self.routes.take(topic)
        if taken is None:
            return None
        self._check_size(payload)
        packing = self._packing(taken.route)
        if taken.subject in self._laid_out:
            native = Native(taken.subject, taken.levels, read_attributes(headers), payload)
            return Received(native, stamp)
        if self.sparkplug is not None and packing.payload == "sparkplug":
            metrics = self.sparkplug.read(topic, payload)
            if metrics is not None:
                beside = packing.read_beside(headers)
                own = tuple(field for field in beside if field.id not in OWN)
                parameters = _beside(taken.levels, metrics.parameters)
                attributes = (*own, *metrics.attributes)
                native = Native(taken.subject, parameters, attributes, time_us=metrics.time_us)
                return Received(native, stamp)
        found = packing.unpack(headers, payload, taken.subject, stamp)
        parameters = _beside(taken.levels, found.parameters)
        return Received(Native(taken.subject, parameters, found.attributes), found.stamp)

    def without_payload(self, topic: str, stamp: Stamp | None) -> Received | None:
        """Return the native event of a message of which only the topic is used.

        Else as `to_native`.
        """
        taken = self.routes.take(topic)
        return None if taken is None else Received(Native(taken.subject, taken.levels), stamp)

    def with_parameters(
        self,
        topic: str,
        headers: Mapping[str, str],
        parameters: tuple[Field, ...],
        stamp: Stamp | None,
    ) -> Received | None:
        """Return the native event of a message whose parameters are not in a payload.

        Else as `to_native`.
        """
        taken = self.routes.take(topic)
        if taken is None:
            return None
        attributes = self._packing(taken.route).read_beside(headers)
        return Received(Native(taken.subject, _beside(taken.levels, parameters), attributes), stamp)

    def to_control_message(self, event: Event, stamp: Stamp) -> Message:
        """Return the message of a control event, which is always JSON."""
        flat = flatten(event)
        packed = self._control.pack(flat.subject, flat.parameters, flat.attributes, stamp)
        return Message(CONTROL_SUBJECT, packed, None)

    def to_control(
        self, headers: Mapping[str, str], payload: bytes, stamp: Stamp | None
    ) -> ReceivedControl:
        """Return the control event of a message.

        Raises:
            FesError: The message is not a control event.
        """
        self._check_size(payload)
        found = self._control.unpack(headers, payload, CONTROL_SUBJECT, stamp)
        event = Event(CONTROL_SUBJECT, found.parameters, found.attributes)
        return ReceivedControl(unflatten(event), found.stamp)

    def _packed(self, topic: str, route: int | None, native: Native, stamp: Stamp) -> Packed:
        packing = self._packing(route)
        if self.sparkplug is not None and packing.payload == "sparkplug":
            payload = self.sparkplug.write(topic, native.parameters, native.attributes, stamp)
            if payload is not None:
                others = tuple(field for field in native.attributes if field.id not in OWN)
                return packing.pack_octets(payload, others)
        return packing.pack(native.subject or "", native.parameters, native.attributes, stamp)

    def _packing(self, route: int | None) -> Packing:
        return self._default if route is None else self._packings[route]

    def _check_size(self, payload: bytes) -> None:
        if len(payload) > self._largest_bytes:
            raise CodecError(
                f"payload of {len(payload)} bytes exceeds the limit of {self._largest_bytes} bytes"
            )


def _packing_of(route: RouteText, binding: Binding | None) -> Packing:
    return Packing(
        route.payload,
        route.value,
        embeds=binding is None,
        binding=binding or NATS,
        schema=route.schema,
    )


def _beside(levels: tuple[Field, ...], parameters: tuple[Field, ...]) -> tuple[Field, ...]:
    """Return all parameters, those of the topic first; a payload may repeat these.

    Raises:
        CodecError: The payload has another value than the topic.
    """
    known = {field.id: field for field in levels}
    for field in parameters:
        if known.get(field.id, field) != field:
            raise CodecError(f"{field.id[:80]!r} is another in the payload than in the topic")
    return (*levels, *lacking(parameters, levels))
