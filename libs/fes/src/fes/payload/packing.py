"""Messages of systems that know nothing of the federation: headers and payload, in both directions.

The content type of a message, where it tells one that is known, says how its payload is read; else
the setting does. What cannot be read is an error that names the place; nothing is guessed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from eventservices.stamp import Stamp

from fes.errors import CodecError, EventError
from fes.model import Field, Type, type_of
from fes.model.types import check_value
from fes.payload import cloudevents
from fes.payload.bodies import CONTENT_TYPES, Bodies, Form, dump_json, form_of, load_json
from fes.payload.headers import CONTENT_TYPE, read_attributes, read_hints, write_headers

Payload = Literal["json", "msgpack", "text", "raw", "cloudevents", "cloudevents-binary"]
"""How payloads are written, and read where the message does not tell."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What a message contains.

    Attributes:
        parameters: Of the payload.
        attributes: Of headers, and of the payload where it has some.
        stamp: As given, or as a payload of ours told it.
    """

    parameters: tuple[Field, ...]
    attributes: tuple[Field, ...]
    stamp: Stamp | None


@dataclass(frozen=True, slots=True)
class Packed:
    """A message.

    Attributes:
        headers: ASCII; without the stamp's.
        payload: The body.
    """

    headers: dict[str, str]
    payload: bytes


class Packing:
    """Reads and writes messages of one route.

    Args:
        payload: How they are written.
        value: See `Bodies`.
        embeds: Whether messages have no headers, so that structured CloudEvents hold the stamp,
            the hints and the attributes themselves, and other payloads none of them.
    """

    def __init__(self, payload: Payload, value: str = "", *, embeds: bool = False) -> None:
        self.payload = payload
        self.embeds = embeds
        self._bodies = Bodies(value)
        self._form: Form = "json" if payload.startswith("cloudevents") else payload  # type: ignore[assignment] # the others are forms

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
        body, hints = self._bodies.write(self._form, parameters)
        content_type = CONTENT_TYPES[self._form]
        if self.payload == "cloudevents":
            context = [field for field in attributes if _is_context(field)]
            attributes = tuple(field for field in attributes if not _is_context(field))
            made = cloudevents.with_context(tuple(context), stamp, subject)
            plain = {field.id.removeprefix(cloudevents.PREFIX): field.value for field in made}
            if self.embeds:
                told = write_headers(attributes, hints, as_one=True)
                plain |= cloudevents.embedded(told, stamp)
                attributes, hints = (), {}
            data = cloudevents.to_structured(plain, load_json(body), is_octets=False)
            body, content_type = dump_json(data), cloudevents.CONTENT_TYPE
        elif self.payload == "cloudevents-binary":
            attributes = cloudevents.with_context(attributes, stamp, subject)
        return Packed({CONTENT_TYPE: content_type, **write_headers(attributes, hints)}, body)

    def pack_octets(self, octets: bytes, attributes: tuple[Field, ...]) -> Packed:
        """Return the message of octets that a mapping rule laid out."""
        headers = {CONTENT_TYPE: CONTENT_TYPES["raw"], **write_headers(attributes, {})}
        return Packed(headers, octets)

    def unpack(
        self, headers: Mapping[str, str], payload: bytes, subject: str, stamp: Stamp | None
    ) -> Unpacked:
        """Return what a message contains.

        Raises:
            CodecError: It cannot be read; the message states where.
        """
        attributes = read_attributes(headers)
        hints = read_hints(headers)
        content_type = headers.get(CONTENT_TYPE, headers.get(CONTENT_TYPE.lower(), ""))
        told = content_type.partition(";")[0].strip().lower()
        if told == cloudevents.CONTENT_TYPE or (not told and self.payload == "cloudevents"):
            return self._structured(payload, subject, Unpacked((), attributes, stamp), hints)
        parameters = self._bodies.read(form_of(content_type) or self._form, payload, hints)
        if cloudevents.is_binary(headers):
            attributes = cloudevents.without_context(attributes, stamp, subject)
        return Unpacked(parameters, attributes, stamp)

    def _structured(
        self, payload: bytes, subject: str, told: Unpacked, hints: Mapping[str, str]
    ) -> Unpacked:
        context, data = cloudevents.from_structured(load_json(payload))
        stamp, attributes = told.stamp, told.attributes
        if self.embeds:
            headers, stamp = cloudevents.take_embedded(context)
            attributes, hints = read_attributes(headers), read_hints(headers)
        found = tuple(_context_field(name, value) for name, value in context.items())
        found = cloudevents.without_context(found, stamp, subject)
        return Unpacked(self._data(context, data, hints), _joined(found, attributes), stamp)

    def _data(
        self, context: Mapping[str, Any], data: Any, hints: Mapping[str, str]
    ) -> tuple[Field, ...]:
        if data is None:
            return ()
        if isinstance(data, bytes):
            form = form_of(str(context.get("datacontenttype", ""))) or "raw"
            return self._bodies.read(form, data, hints)
        if isinstance(data, str) and self.value not in hints:  # a text: one parameter
            return (Field(self.value, Type.STRING, data),)
        return self._bodies.read("json", dump_json(data), hints)


def _is_context(field: Field) -> bool:
    name = field.id.removeprefix(cloudevents.PREFIX)
    plain = name != field.id and name.isascii() and name.isalnum() and name == name.lower()
    return plain and isinstance(field.value, str | int) and field.type is not Type.LONGLONG


def _context_field(name: str, value: Any) -> Field:
    try:
        kind = type_of(value, name)
        check_value(kind, value, name)
    except EventError as error:
        raise CodecError(str(error)) from error
    return Field(f"{cloudevents.PREFIX}{name}", kind, value)


def _joined(first: tuple[Field, ...], second: tuple[Field, ...]) -> tuple[Field, ...]:
    known = {field.id for field in first}
    for field in second:
        if field.id in known:
            raise CodecError(f"attribute {field.id[:80]!r} stands twice")
    return (*first, *second)
