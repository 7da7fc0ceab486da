"""Events as MessagePack.

An Any event is `[1, value]`, a structured event
`[2, domain_name, type_name, event_name, variable_header, filterable_data, remainder_of_body]`.
Values are MessagePack's own, exact; two extension types carry what it cannot distinguish: 1 an
integer (8 bytes, big endian, signed) that is a `longlong` although 32 bits would be enough, 2 a
structured event within an Any. More elements at the end are ignored, for later versions.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.msgpack import Ext

from eventservices.cns.event import (
    AnyEvent,
    Event,
    EventHeader,
    FixedEventHeader,
    StructuredEvent,
)
from eventservices.cns.event_type import EventType
from eventservices.cns.value import INT64, LongLong, Value
from eventservices.errors import MalformedError

MAX_DEPTH = 32
"""Deepest nesting of a value."""

_LONGLONG = 1
_EVENT = 2
_PLAIN = frozenset({str, float, bool, bytes, type(None)})


class _AnyWire(msgspec.Struct, frozen=True, array_like=True, tag=1):
    value: Any


class _StructuredWire(msgspec.Struct, frozen=True, array_like=True, tag=2):
    domain_name: str
    type_name: str
    event_name: str
    variable_header: dict[str, Any]
    filterable_data: dict[str, Any]
    remainder_of_body: Any


def encode_any(value: Value) -> bytes:
    """Return an Any event's payload.

    Raises:
        MalformedError: No Any carries such a value, or it is nested too deep.
    """
    return _encode(_AnyWire(_to_wire(value, 0)))


def encode_structured(event: StructuredEvent) -> bytes:
    """Return a structured event's payload.

    Raises:
        MalformedError: A name is not a text, or no Any carries one of the values.
    """
    return _encode(_structured_to_wire(event, 0))


def encode(event: Event) -> bytes:
    """Return the payload of an event of either form; errors as of the two above."""
    return encode_any(event.value) if isinstance(event, AnyEvent) else encode_structured(event)


def decode(payload: bytes) -> Event:
    """Return the event in a payload.

    Raises:
        MalformedError: The payload is not one that `encode_any` or `encode_structured` makes.
    """
    try:
        wire = _decoder.decode(payload)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise MalformedError(f"no event: {error}") from error
    if isinstance(wire, _AnyWire):
        _check(wire.value, 0)
        return AnyEvent(wire.value)
    _check(wire.variable_header, 0)
    _check(wire.filterable_data, 0)
    _check(wire.remainder_of_body, 0)
    fixed = FixedEventHeader(EventType(wire.domain_name, wire.type_name), wire.event_name)
    header = EventHeader(fixed, wire.variable_header)
    return StructuredEvent(header, wire.filterable_data, wire.remainder_of_body)


def _encode(wire: _AnyWire | _StructuredWire) -> bytes:
    try:
        return _encoder.encode(wire)
    except (UnicodeError, TypeError) as error:
        raise MalformedError(f"not encodable: {error}") from error


def _structured_to_wire(event: StructuredEvent, depth: int) -> _StructuredWire:
    fixed = event.header.fixed_header
    domain, kind = fixed.event_type
    if not (
        isinstance(domain, str) and isinstance(kind, str) and isinstance(fixed.event_name, str)
    ):
        raise MalformedError("domain, type and name of an event are text")
    return _StructuredWire(
        domain,
        kind,
        fixed.event_name,
        _struct_to_wire(event.header.variable_header, depth),
        _struct_to_wire(event.filterable_data, depth),
        _to_wire(event.remainder_of_body, depth),
    )


def _to_wire(value: Value, depth: int) -> Any:
    kind = type(value)
    if kind in _PLAIN:
        return value
    if isinstance(value, int):
        return _int_to_wire(value)
    if depth >= MAX_DEPTH:
        raise MalformedError(f"a value is nested deeper than {MAX_DEPTH}")
    if isinstance(value, Mapping):
        return _struct_to_wire(value, depth)
    if isinstance(value, list | tuple):
        return [_to_wire(item, depth + 1) for item in value]
    if isinstance(value, StructuredEvent):
        return Ext(_EVENT, _encode(_structured_to_wire(value, depth + 1)))
    raise MalformedError(f"an Any does not carry a {kind.__name__}")


def _struct_to_wire(members: Mapping[str, Value], depth: int) -> dict[str, Any]:
    wire = {}
    for name, value in members.items():
        if type(name) is not str:
            raise MalformedError(f"a member's name is text, not {name!r}")
        wire[name] = value if type(value) in _PLAIN else _to_wire(value, depth + 1)
    return wire


def _int_to_wire(value: int) -> Any:
    if not -INT64 <= value < INT64:
        raise MalformedError(f"{value} is not an integer of 64 bits")
    if type(value) is LongLong:
        return Ext(_LONGLONG, value.to_bytes(8, "big", signed=True))
    if type(value) is not int:
        raise MalformedError(f"an Any does not carry a {type(value).__name__}")
    return value


def _check(value: Any, depth: int) -> None:
    kind = type(value)
    if kind in _PLAIN or kind is LongLong or kind is StructuredEvent:
        return
    if kind is int:
        if value >= INT64:
            raise MalformedError(f"{value} is not an integer of 64 bits")
        return
    if depth >= MAX_DEPTH:
        raise MalformedError(f"a value is nested deeper than {MAX_DEPTH}")
    if kind is list:
        for item in value:
            _check(item, depth + 1)
    elif kind is dict:
        for name, item in value.items():
            if type(name) is not str:
                raise MalformedError(f"a member's name is text, not {name!r}")
            _check(item, depth + 1)
    else:
        raise MalformedError(f"an Any does not carry a {kind.__name__}")


def _from_extension(code: int, data: memoryview) -> Any:
    if code == _LONGLONG and len(data) == 8:
        return LongLong.from_bytes(data, "big", signed=True)
    if code == _EVENT:
        event = decode(bytes(data))
        if isinstance(event, StructuredEvent):
            return event
    raise MalformedError(f"unknown extension type {code}")


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_AnyWire | _StructuredWire, ext_hook=_from_extension)
