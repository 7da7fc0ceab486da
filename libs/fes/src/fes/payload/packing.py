"""Messages of systems that know nothing of the federation: headers and payload, in both directions.

The content type of a message specifies how its payload is read, where it is a known one; else the
setting does. What cannot be read is an error that names the place; nothing is guessed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from eventservices.stamp import Stamp

from fes.errors import CodecError, EventError
from fes.model import Field, Type, type_of
from fes.model.types import check_value
from fes.payload import cloudevents
from fes.payload.bindings import DATA_TYPE, NATS, PREFIX, Binding, encode, is_context, is_whole
from fes.payload.bodies import (
    CONTENT_TYPES,
    Bodies,
    Form,
    SchemaCodec,
    dump_json,
    form_of,
    load_json,
)
from fes.payload.headers import (
    CONTENT_TYPE,
    read_added,
    read_attributes,
    read_hints,
    write_added,
    write_headers,
)

Payload = Literal[
    "json",
    "msgpack",
    "text",
    "raw",
    "avro",
    "protobuf",
    "sparkplug",
    "cloudevents",
    "cloudevents-binary",
]
"""How payloads are written, and read where the message does not specify it."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What a message contains.

    Attributes:
        parameters: Of the payload.
        attributes: Of headers, and of the payload where it has some.
        stamp: Of the message, or of its payload where that is one of ours.
    """

    parameters: tuple[Field, ...]
    attributes: tuple[Field, ...]
    stamp: Stamp | None


@dataclass(frozen=True, slots=True)
class Packed:
    """A message.

    Attributes:
        headers: Printable; without the stamp's.
        payload: The body.
    """

    headers: dict[str, str]
    payload: bytes


class Packing:
    """Reads and writes messages of one route.

    Args:
        payload: How they are written.
        value: See `Bodies`.
        embeds: Whether messages have no headers, so that structured CloudEvents contain the stamp,
            the hints and the attributes, and other payloads none of them.
        binding: How headers have CloudEvents in binary mode.
        schema: Of Avro or Protobuf payloads; None where there is none.

    Attributes:
        has_one_value: Whether a payload is the value of one parameter.
    """

    def __init__(
        self,
        payload: Payload,
        value: str = "",
        *,
        embeds: bool = False,
        binding: Binding = NATS,
        schema: SchemaCodec | None = None,
    ) -> None:
        self.payload = payload
        self.embeds = embeds
        self.has_one_value = bool(value) or payload in ("text", "raw")
        self._binding = None if embeds else binding
        self._bodies = Bodies(value, schema)
        # Beside the messages of Sparkplug there are only those of its hosts, in JSON.
        is_json = payload.startswith("cloudevents") or payload == "sparkplug"
        self._form: Form = "json" if is_json else payload  # type: ignore[assignment] # every other kind of payload is a form

    @property
    def value(self) -> str:
        """The parameter that a payload of text or octets is."""
        return self._bodies.value

    @property
    def nulls(self) -> int:
        """Members that were null, and are absent from the events."""
        return self._bodies.nulls

    def pack(
        self,
        subject: str,
        parameters: tuple[Field, ...],
        attributes: tuple[Field, ...],
        stamp: Stamp,
    ) -> Packed:
        """Return the message of an event.

        Raises:
            CodecError: It has no such message.
        """
        if self.payload == "cloudevents":
            return self._to_structured(subject, parameters, attributes, stamp)
        made: Mapping[str, str] | None = None
        if self.payload == "cloudevents-binary":
            made = cloudevents.made_of(stamp, subject)
        elif self._binding and is_whole(attributes):
            made = {}
        form, content_type = self._form, CONTENT_TYPES[self._form]
        if made is not None:
            form, content_type = self._data_form(parameters, attributes)
        body, hints = self._bodies.write(form, parameters)
        headers = write_headers(attributes, hints, binding=self._binding, made=made)
        if DATA_TYPE in headers and made is not None:
            headers[DATA_TYPE] = encode(content_type)
        return Packed({CONTENT_TYPE: content_type, **headers}, body)

    def pack_octets(self, octets: bytes, attributes: tuple[Field, ...]) -> Packed:
        """Return the message of octets that a mapping rule laid out."""
        headers = write_headers(attributes, {}, binding=self._binding)
        return Packed({CONTENT_TYPE: CONTENT_TYPES["raw"], **headers}, octets)

    def unpack(
        self, headers: Mapping[str, str], payload: bytes, subject: str, stamp: Stamp | None
    ) -> Unpacked:
        """Return what a message contains.

        Raises:
            CodecError: It cannot be read; the message states where.
        """
        content_type = headers.get(CONTENT_TYPE, headers.get(CONTENT_TYPE.lower(), ""))
        told = content_type.partition(";")[0].strip().lower()
        hints = read_hints(headers)
        if told == cloudevents.CONTENT_TYPE or (not told and self._is_structured(headers)):
            attributes = read_attributes(headers)
            return self._structured(payload, subject, Unpacked((), attributes, stamp), headers)
        attributes = read_attributes(headers, binding=self._binding, content_type=content_type)
        form = form_of(content_type) or self._form
        if self._binding is not None and self._binding.is_used(headers):
            data_type = headers.get(DATA_TYPE, content_type)
            form = self._told_form(data_type)
            if not payload and form not in ("text", "raw"):
                return Unpacked((), attributes, stamp)
        return Unpacked(self._bodies.read(form, payload, hints), attributes, stamp)

    def read_beside(self, headers: Mapping[str, str]) -> tuple[Field, ...]:
        """Return the attributes of a message whose payload somebody else reads.

        Raises:
            CodecError: They cannot be read.
        """
        return read_attributes(headers, binding=self._binding)

    def _is_structured(self, headers: Mapping[str, str]) -> bool:
        binary = self._binding is not None and self._binding.is_used(headers)
        return self.payload == "cloudevents" and not binary

    def _told_form(self, data_type: str) -> Form:
        """Return the form of a CloudEvent's data; octets where its type is none that is known."""
        return form_of(data_type) or ("raw" if data_type else self._form)

    def _data_form(
        self, parameters: tuple[Field, ...], attributes: tuple[Field, ...]
    ) -> tuple[Form, str]:
        """Return the form of a CloudEvent's data and its type: that which it brings, if it may."""
        found = (field.value for field in attributes if field.id == DATA_TYPE)
        told = next(found, "")
        form = form_of(told) if isinstance(told, str) and told else None
        if form == self._form:
            return form, told
        if len(parameters) == 1 and parameters[0].id == self.value and isinstance(told, str):
            kind = parameters[0].type
            if told and kind is Type.STRING and form == "text":
                return form, told
            if kind is Type.OCTETS and form in ("raw", None) and (told or self._form == "json"):
                return "raw", told or CONTENT_TYPES["raw"]
        return self._form, CONTENT_TYPES[self._form]

    def _to_structured(
        self,
        subject: str,
        parameters: tuple[Field, ...],
        attributes: tuple[Field, ...],
        stamp: Stamp,
    ) -> Packed:
        form, data_type = self._data_form(parameters, attributes)
        body, hints = self._bodies.write(form, parameters)
        context = tuple(field for field in attributes if is_context(field))
        others = tuple(field for field in attributes if not is_context(field))
        made = cloudevents.with_context(context, cloudevents.made_of(stamp, subject))
        plain = {field.id.removeprefix(PREFIX): field.value for field in made}
        if "datacontenttype" in plain or form == "text":
            plain["datacontenttype"] = data_type
        if self.embeds:
            told = write_headers(others, hints, as_one=True)
            plain |= cloudevents.embedded(told, stamp)
            others, hints = (), {}
        octets = form == "raw"
        data = body if octets else body.decode() if form == "text" else load_json(body)
        whole = cloudevents.to_structured(plain, data, is_octets=octets)
        headers = {CONTENT_TYPE: cloudevents.CONTENT_TYPE, **write_headers(others, hints)}
        if not self.embeds:
            own = {field.id for field in context}
            headers |= write_added(field.id for field in made if field.id not in own)
        return Packed(headers, dump_json(whole))

    def _structured(
        self, payload: bytes, subject: str, told: Unpacked, beside: Mapping[str, str]
    ) -> Unpacked:
        context, data = cloudevents.from_structured(load_json(payload))
        stamp, attributes, hints = told.stamp, told.attributes, read_hints(beside)
        if self.embeds:
            headers, stamp = cloudevents.take_embedded(context)
            attributes, hints = read_attributes(headers), read_hints(headers)
        found = tuple(_context_field(name, value) for name, value in context.items())
        if self.embeds and stamp is not None:
            found = cloudevents.without_made(found, cloudevents.made_of(stamp, subject))
        else:
            found = tuple(field for field in found if field.id not in read_added(beside))
        return Unpacked(self._data(context, data, hints), _joined(found, attributes), stamp)

    def _data(
        self, context: Mapping[str, Any], data: Any, hints: Mapping[str, str]
    ) -> tuple[Field, ...]:
        if data is None:
            return ()
        data_type = str(context.get("datacontenttype", ""))
        if isinstance(data, bytes):
            return self._bodies.read(form_of(data_type) or "raw", data, hints)
        if isinstance(data, str) and self.value not in hints:  # a text: one parameter
            return (Field(self.value, Type.STRING, data),)
        return self._bodies.read("json", dump_json(data), hints)


def _context_field(name: str, value: Any) -> Field:
    try:
        kind = type_of(value, name)
        check_value(kind, value, name)
    except EventError as error:
        raise CodecError(str(error)) from error
    return Field(f"{PREFIX}{name}", kind, value)


def _joined(first: tuple[Field, ...], second: tuple[Field, ...]) -> tuple[Field, ...]:
    known = {field.id for field in first}
    for field in second:
        if field.id in known:
            raise CodecError(f"attribute {field.id[:80]!r} occurs twice")
    return (*first, *second)
