"""Events as messages of systems that know nothing of the federation: topic, headers, payload.

Shared by the adapters of topic-based brokers: routes, payloads, control events.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from eventservices.stamp import Stamp

from fes.adapter.context import Received, ReceivedControl
from fes.control import CONTROL_SUBJECT
from fes.control.flat import flatten, unflatten
from fes.errors import CodecError, MappingError
from fes.mapping import Mapping as EventMapping
from fes.mapping import Native
from fes.mapping.topics.levels import TopicNames
from fes.mapping.topics.routes import MAX_ROUTES, Routes, route_of
from fes.model import Event, Field
from fes.payload.headers import read_attributes
from fes.payload.packing import Packed, Packing, Payload

PAYLOAD_FACTOR: Final = 2
"""By which factor a payload may be larger than the largest event; text needs more room."""


@dataclass(frozen=True, slots=True)
class RouteText:
    """A route, as in the file.

    Attributes:
        topic: Levels are literal, or `{name}` for a parameter.
        event: Native subject of its events.
        payload: How its payloads are written.
        value: Name of the parameter of which the payload is the value; "" where the payload is an
            object.
    """

    topic: str
    event: str
    payload: Payload
    value: str = ""


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
        names: The conversion between subjects and topics.
        routes: As in the file.
        payload, value: As in a route, for events without one.
        mapping: Its rules state which payloads are octets with a layout.
        largest_bytes: Largest payload that is read.
        headers: Whether messages have headers.

    Attributes:
        routes: The compiled routes.
    """

    def __init__(
        self,
        names: TopicNames,
        routes: Sequence[RouteText],
        payload: Payload,
        value: str,
        mapping: EventMapping,
        largest_bytes: int,
        *,
        headers: bool = True,
    ) -> None:
        self.routes = make_routes(routes, names)
        embeds = not headers
        self._default = Packing(payload, value, embeds=embeds)
        self._packings = [Packing(each.payload, each.value, embeds=embeds) for each in routes]
        self._control = Packing("cloudevents" if embeds else "json", embeds=embeds)
        self._largest_bytes = largest_bytes
        self._laid_out = frozenset(
            rule.native_subject
            for rule in mapping.rules
            if rule.rule.direction != "out" and (rule.frame is not None or rule.plugin is not None)
        )

    @property
    def nulls(self) -> int:
        """Members of payloads that were null, and are absent from the events."""
        return self._default.nulls + sum(each.nulls for each in self._packings)

    def to_message(self, native: Native, stamp: Stamp) -> Message:
        """Return the message of a native event.

        Raises:
            MappingError: It has no topic.
            CodecError: Its payload cannot be encoded.
        """
        subject = native.subject
        if subject is None:
            raise MappingError("a message has a subject, a CAN frame has none")
        topic, parameters, route = self.routes.place(subject, native.parameters)
        if native.octets is not None:
            if parameters:
                raise MappingError("a payload is either octets or parameters")
            packed = self._default.pack_octets(native.octets, native.attributes)
        else:
            packed = self._packing(route).pack(subject, parameters, native.attributes, stamp)
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
        found = packing.unpack(headers, payload, taken.subject, stamp)
        parameters = _beside(taken.levels, found.parameters)
        return Received(Native(taken.subject, parameters, found.attributes), found.stamp)

    def without_payload(self, topic: str, stamp: Stamp | None) -> Received | None:
        """Return the native event of a message of which only the topic is used.

        Else as `to_native`.
        """
        taken = self.routes.take(topic)
        return None if taken is None else Received(Native(taken.subject, taken.levels), stamp)

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

    def _packing(self, route: int | None) -> Packing:
        return self._default if route is None else self._packings[route]

    def _check_size(self, payload: bytes) -> None:
        if len(payload) > self._largest_bytes:
            raise CodecError(
                f"payload of {len(payload)} bytes exceeds the limit of {self._largest_bytes} bytes"
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
    return (*levels, *(field for field in parameters if field.id not in known))
