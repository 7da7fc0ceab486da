"""CloudEvents as native events of the federation, and back.

The type of a CloudEvent is the subject of its event, or follows a route. Where an event has the
type of a CloudEvent that it once was, its subject is in the extension `fessubject`.
"""

from dataclasses import replace
from typing import Any, Final, NamedTuple

from eventservices.stamp import Stamp
from fes.adapter.context import Received, ReceivedControl
from fes.adapter.plain.codec import PlainCodec
from fes.control import CONTROL_SUBJECT
from fes.errors import CodecError, EventError, MappingError
from fes.mapping import Native
from fes.model import Event, Field, Type, is_reserved, type_of
from fes.payload import cloudevents
from fes.payload.bindings import PREFIX
from fes.payload.bodies import dump_json, form_of, load_json
from fes.payload.headers import read_attributes, write_headers

SUBJECT: Final = "fessubject"
ADAPTER: Final = "fesadapter"
"""Extension that names the adapter that posted an event, which does not receive it again."""

_TYPE: Final = f"{PREFIX}type"
_SUBJECT: Final = f"{PREFIX}{SUBJECT}"
_ADAPTER: Final = f"{PREFIX}{ADAPTER}"
_DATA_TYPE: Final = f"{PREFIX}datacontenttype"
_OWN: Final = (_TYPE, _SUBJECT, _ADAPTER, _DATA_TYPE, f"{PREFIX}specversion")
_TEXTS: Final = tuple(f"{PREFIX}{name}" for name in ("id", "source", "type"))


class Read(NamedTuple):
    """A CloudEvent that was read.

    Attributes:
        received: The event; None where it is not for the gateway.
        identity: Source and identifier, which are unique together.
        is_own: Whether the adapter itself posted it.
    """

    received: Received | ReceivedControl | None
    identity: tuple[str, str]
    is_own: bool = False


class EventCodec:
    """Reads and writes CloudEvents in structured mode.

    Args:
        plain: Routes and payloads; its messages have no headers.
        adapter: Identifier of the adapter.
    """

    def __init__(self, plain: PlainCodec, adapter: str) -> None:
        self._plain = plain
        self._adapter = adapter

    def read(self, whole: Any, raw: bytes) -> Read:
        """Return the event of a CloudEvent.

        Args:
            whole: Its JSON object.
            raw: The same as bytes.

        Raises:
            FesError: Raised when it cannot be read; the message names the place.
        """
        context, data = cloudevents.from_structured(whole)
        identity = (context["source"], context["id"])
        if context.get(ADAPTER) == self._adapter:
            return Read(None, identity, is_own=True)
        if context["type"] == CONTROL_SUBJECT:
            return Read(self._plain.to_control({}, raw, None), identity)
        topic = context.get(SUBJECT) or context["type"]
        if not isinstance(topic, str) or is_reserved(topic):
            raise CodecError(f"{str(topic)[:80]!r} cannot be the type of an event")
        found = self._plain.to_native(topic, {}, raw, None)
        if found is None:
            raise MappingError(f"type {topic[:80]!r} is reserved for servers")
        if found.native.octets is not None:
            found = _laid_out(found, context, data)
        return Read(found._replace(native=_without_own(found.native, topic)), identity)

    def write(self, native: Native, stamp: Stamp) -> tuple[str, bytes]:
        """Return the type by which targets are chosen, and the JSON object of a native event.

        Raises:
            MappingError: Raised when it has no type.
            CodecError: Raised when it cannot be expressed so.
        """
        if native.subject is None:
            raise MappingError("a CloudEvent has a type, a CAN frame has none")
        topic = self._plain.routes.place(native.subject, native.parameters).topic
        own = replace(native, attributes=self._with_own(native.attributes, topic))
        message = self._plain.to_message(own, stamp)
        if native.octets is None:
            return topic, message.packed.payload
        return topic, _from_octets(own, native.octets, stamp)

    def write_control(self, event: Event, stamp: Stamp) -> bytes:
        """Return the JSON object of a control event."""
        whole = load_json(self._plain.to_control_message(event, stamp).packed.payload)
        return dump_json({**whole, ADAPTER: self._adapter})

    def _with_own(self, attributes: tuple[Field, ...], topic: str) -> tuple[Field, ...]:
        """Return attributes with the type, and the subject where it differs from the type."""
        for field in attributes:
            if field.id in _TEXTS and (field.type is not Type.STRING or not field.value):
                raise CodecError(f"attribute {field.id!r} is a text that is not empty")
        foreign = next((field.value for field in attributes if field.id == _TYPE), topic)
        own = [Field(_TYPE, Type.STRING, foreign), Field(_ADAPTER, Type.STRING, self._adapter)]
        if foreign != topic:
            own.append(Field(_SUBJECT, Type.STRING, topic))
        kept = (field for field in attributes if field.id not in _OWN or _is_data_type(field))
        return (*own, *kept)


def _without_own(native: Native, topic: str) -> Native:
    """Return an event without the attributes that `_with_own` writes again."""
    fields = native.attributes
    types = [field for field in fields if field.id == _TYPE and field.value != topic]
    is_other = any(field.id == _SUBJECT for field in fields)
    kept = (field for field in fields if field.id not in _OWN or _is_data_type(field))
    return replace(native, attributes=(*(types if is_other else ()), *kept))


def _is_data_type(field: Field) -> bool:
    """Return whether an attribute is a type of data that is more than JSON, which is implied."""
    return field.id == _DATA_TYPE and form_of(str(field.value)) != "json"


def _laid_out(found: Received, context: dict[str, Any], data: Any) -> Received:
    """Return an event whose rule lays out the octets of its data."""
    if not isinstance(data, bytes):
        raise CodecError("the mapping rule needs octets as data")
    headers, stamp = cloudevents.take_embedded(context)
    try:
        fields = tuple(
            Field(f"{PREFIX}{name}", type_of(value, name), value) for name, value in context.items()
        )
    except EventError as error:
        raise CodecError(str(error)) from error
    if stamp is not None:
        fields = cloudevents.without_made(
            fields, cloudevents.made_of(stamp, found.native.subject or "")
        )
    attributes = (*fields, *read_attributes(headers))
    return Received(replace(found.native, octets=data, attributes=attributes), stamp)


def _from_octets(native: Native, octets: bytes, stamp: Stamp) -> bytes:
    def is_context(field: Field) -> bool:
        return field.id.startswith(PREFIX) and field.type is Type.STRING

    own = tuple(filter(is_context, native.attributes))
    others = tuple(field for field in native.attributes if not is_context(field))
    made = cloudevents.with_context(own, cloudevents.made_of(stamp, native.subject or ""))
    context = {field.id.removeprefix(PREFIX): field.value for field in made}
    context |= cloudevents.embedded(write_headers(others, {}, as_one=True), stamp)
    return dump_json(cloudevents.to_structured(context, octets, is_octets=True))
