"""Events of a bus as native events of the federation, and back; exact in both directions.

A string, integer, double, boolean or octets is the same on both sides. What MessagePack does not
distinguish, a nested event and a longlong that is small, is a map of one key.
"""

from typing import Any, Final

from eventservices.bus import Event as BusEvent
from eventservices.bus.errors import EventNameError
from eventservices.bus.names import check_name
from fes.errors import CodecError, MappingError
from fes.mapping import Native
from fes.model import Event, Field, Type, binary
from fes.model.types import INT32_MAX, INT32_MIN

EVENT: Final = "fes:event"
LONGLONG: Final = "fes:longlong"
INT64: Final = 2**63

ESCAPED: Final = "fes-hex."
"""Begins the name of an event whose subject is not a name."""

LABEL: Final = 60

_PLAIN: Final[dict[type, Type]] = {
    str: Type.STRING,
    float: Type.DOUBLE,
    bool: Type.BOOLEAN,
    bytes: Type.OCTETS,
}


def to_values(native: Native) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Return an event's name, its parameters and its attributes, as a bus accepts them.

    Raises:
        MappingError: It has no subject that is a name of an event, or is octets.
    """
    if native.subject is None or native.octets is not None:
        raise MappingError("an event of a bus has a name and named values, no octets")
    parameters = {field.id: _value(field) for field in native.parameters}
    attributes = {field.id: _value(field) for field in native.attributes}
    return name_of(native.subject), parameters, attributes


def name_of(subject: str) -> str:
    """Return a subject as the name of an event; one that is none is written in hexadecimal.

    Raises:
        MappingError: It is too long.
    """
    try:
        if not subject.startswith(ESCAPED):
            return check_name(subject)
    except EventNameError:
        pass
    text = subject.encode("utf-8").hex()
    labels = [text[at : at + LABEL] for at in range(0, len(text), LABEL)]
    try:
        return check_name(ESCAPED + ".".join(labels))
    except EventNameError as error:
        raise MappingError(f"subject {subject[:60]!r}: {error}") from error


def subject_of(name: str) -> str:
    """Return the subject that is written as the name of an event.

    Raises:
        CodecError: It begins like one in hexadecimal, and is none.
    """
    if not name.startswith(ESCAPED):
        return name
    try:
        return bytes.fromhex(name.removeprefix(ESCAPED).replace(".", "")).decode("utf-8")
    except ValueError as error:
        raise CodecError(f"event name {name[:60]!r} is not a subject in hexadecimal") from error


def to_native(event: BusEvent) -> Native:
    """Return the native event of a bus's event.

    Raises:
        CodecError: A value is of a type that the federation does not have; the message names it.
    """
    return Native(subject_of(event.name), _fields(event.values), _fields(event.attributes))


def _fields(values: dict[str, Any]) -> tuple[Field, ...]:
    return tuple(_field(name, value) for name, value in values.items())


def _value(field: Field) -> Any:
    if field.type is Type.EVENT:
        return {EVENT: binary.encode(field.value)}
    if field.type is Type.LONGLONG and INT32_MIN <= field.value <= INT32_MAX:
        return {LONGLONG: field.value}
    return field.value


def _field(name: str, value: Any) -> Field:
    known = _PLAIN.get(type(value))
    if known is not None:
        return Field(name, known, value)
    if isinstance(value, int) and -INT64 <= value < INT64:
        kind = Type.LONG if INT32_MIN <= value <= INT32_MAX else Type.LONGLONG
        return Field(name, kind, value)
    if isinstance(value, dict) and len(value) == 1:
        ((key, inner),) = value.items()
        if key == EVENT and isinstance(inner, bytes):
            nested: Event = binary.decode(inner)
            return Field(name, Type.EVENT, nested)
        if key == LONGLONG and isinstance(inner, int) and INT32_MIN <= inner <= INT32_MAX:
            return Field(name, Type.LONGLONG, inner)
    raise CodecError(f"parameter {name[:60]!r} is a {type(value).__name__}")
