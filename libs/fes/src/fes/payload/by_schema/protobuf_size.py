"""How many values a Protobuf message has, counted before it is made.

An empty message inside another is two octets, and needs memory for all fields of its type.

Source:
    Protocol Buffers, encoding: tags, wire types.
"""

from typing import Final

from google.protobuf.descriptor import Descriptor

from fes.errors import CodecError
from fes.payload.by_schema.protobuf_values import is_map
from fes.payload.plain import MAX_VALUES

_LEAST_BYTES: Final = 2
"""Of a field: its tag, and one octet at least."""

_OF_ENTRY: Final = 2
"""Fields that an entry of a map is made of: its key and its value."""

_VARINT, _FIXED64, _SIZED, _BEGIN, _END = range(5)
_LONGEST: Final = 10
"""Octets of a number."""


def check_fields(kind: Descriptor, body: bytes) -> None:
    """Refuse a message with more values than any payload has, those of inner ones included.

    Octets that are not a message pass: the parser refuses them, and names the reason.

    Raises:
        CodecError: It has more.
    """
    if len(body) > _LEAST_BYTES * MAX_VALUES:
        try:
            _count(kind, body, MAX_VALUES)
        except IndexError:
            return


def _count(kind: Descriptor | None, body: bytes, left: int) -> int:
    """Return how many more values may follow."""
    at, around = 0, [kind]
    while at < len(body):
        tag, at = _varint(body, at)
        left -= 1
        if left < 0:
            raise CodecError(f"more than {MAX_VALUES} values")
        field = around[-1].fields_by_number.get(tag >> 3) if around[-1] is not None else None
        inner = None if field is None else field.message_type
        wire = tag & 7
        if wire == _VARINT:
            _, at = _varint(body, at)
        elif wire == _SIZED:
            size, at = _varint(body, at)
            if inner is not None:
                free = _OF_ENTRY if is_map(field) else 0
                left = min(left, _count(inner, body[at : at + size], left + free))
            at += size
        elif wire == _BEGIN:
            around.append(inner)
        elif wire == _END:
            around.pop()
        else:
            at += 8 if wire == _FIXED64 else 4
    return left


def _varint(body: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(_LONGEST):
        octet = body[at + place]
        value |= (octet & 0x7F) << 7 * place
        if octet < 0x80:
            return value, at + place + 1
    raise IndexError
