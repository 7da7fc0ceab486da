"""Metrics that are arrays, in octets.

Source:
    Eclipse Sparkplug 3.0.0, section 6.4.16 (data types): little endian, booleans packed from the
    highest bit behind their number, texts ended by NUL.
"""

import struct
from collections.abc import Sequence
from typing import Any, Final

from fes.errors import CodecError
from fes.model import Event, Field, Type
from fes.model.types import INT64_MAX
from fes.payload.plain import ARRAY, MAX_VALUES

LONG: Final = ("Int8", "Int16", "Int32", "UInt8", "UInt16")
"""Data types of numbers that are `long`; other whole ones are `longlong`."""

_PACKED: Final = {
    "Int8": "b",
    "Int16": "h",
    "Int32": "i",
    "Int64": "q",
    "UInt8": "B",
    "UInt16": "H",
    "UInt32": "I",
    "UInt64": "Q",
    "DateTime": "q",
    "Float": "f",
    "Double": "d",
}


def spend(left: list[int], values: int) -> None:
    """Count values of a payload.

    Raises:
        CodecError: There are more than any payload has.
    """
    left[0] -= values
    if left[0] < 0:
        raise CodecError(f"more than {MAX_VALUES} values")


def read_array(name: str, element: str, octets: bytes, left: list[int]) -> Field:
    """Return the parameter of an array, an event with subject `array`.

    Args:
        name: Of the metric.
        element: Data type of its elements.
        octets: Its value.
        left: How many more values may be read, changed.

    Raises:
        CodecError: The octets are no such array.
    """
    try:
        values = _elements(element, octets)
    except (ValueError, struct.error) as error:
        raise CodecError(f"metric {name[:80]!r}: {error}") from error
    spend(left, len(values))
    kind = _type_of(element)
    fields = tuple(Field(str(at), kind, value) for at, value in enumerate(values))
    return Field(name, Type.EVENT, Event(ARRAY, fields))


def write_array(element: str, event: Event, name: str) -> bytes:
    """Return the octets of an array.

    Raises:
        CodecError: The event is not an array, or has an element of another type.
    """
    kind = _type_of(element)
    wholes = (Type.LONG, Type.LONGLONG)
    kinds = wholes if kind in wholes else (kind,)
    if event.subject != ARRAY or any(each.type not in kinds for each in event.parameters):
        raise CodecError(f"metric {name[:80]!r}: no array of {element}")
    values = [each.value for each in event.parameters]
    try:
        return _octets(element, values)
    except (ValueError, OverflowError, struct.error) as error:
        raise CodecError(f"metric {name[:80]!r}: no array of {element}: {error}") from error


def _elements(element: str, octets: bytes) -> Sequence[Any]:
    if element == "String":
        if octets.count(b"\0") > MAX_VALUES:
            raise CodecError(f"more than {MAX_VALUES} values")
        return octets.removesuffix(b"\0").decode("utf-8").split("\0") if octets else ()
    if element == "Boolean":
        return _booleans(octets)
    code = _PACKED[element]
    number, more = divmod(len(octets), struct.calcsize(f"<{code}"))
    if more or number > MAX_VALUES:
        raise CodecError(f"{len(octets)} octets are no array of {element}, or a too large one")
    values = struct.unpack(f"<{number}{code}", octets)
    if element == "UInt64" and any(each > INT64_MAX for each in values):
        raise CodecError("an integer does not fit 64 bit")
    return values


def _booleans(octets: bytes) -> list[bool]:
    (number,) = struct.unpack_from("<I", octets)
    if number > 8 * (len(octets) - 4):
        raise CodecError(f"an array of {number} booleans has {len(octets) - 4} octets")
    return [
        bool(octets[4 + at // 8] >> 7 - at % 8 & 1) for at in range(min(number, MAX_VALUES + 1))
    ]


def _octets(element: str, values: Sequence[Any]) -> bytes:
    if element == "String":
        if any("\0" in each for each in values):
            raise CodecError("a text has a NUL")
        return b"".join(each.encode() + b"\0" for each in values)
    if element == "Boolean":
        bits = [each << 7 - at % 8 for at, each in enumerate(values)]
        rows = (sum(bits[at : at + 8]) for at in range(0, len(bits), 8))
        return struct.pack("<I", len(values)) + bytes(rows)
    return struct.pack(f"<{len(values)}{_PACKED[element]}", *values)


def _type_of(element: str) -> Type:
    if element in _PACKED and element not in ("Float", "Double"):
        return Type.LONG if element in LONG else Type.LONGLONG
    return {"String": Type.STRING, "Boolean": Type.BOOLEAN}.get(element, Type.DOUBLE)
