"""Sparkplug messages as a node would send them, made with a descriptor of the tests' own.

Source:
    Eclipse Sparkplug 3.0.0, chapter 6: numbers and types of fields.
"""

import struct
from typing import Any

WHOLE = {1: 32, 2: 32, 3: 32, 4: 64, 5: 32, 6: 32, 7: 32, 8: 64, 13: 64}
"""Data types in integers, by bits of the field that has them."""


def varint(number: int) -> bytes:
    """Return a number as Protobuf has it."""
    made = bytearray()
    while number > 0x7F:
        made.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*made, number))


def number(field: int, value: int) -> bytes:
    """Return a field that is a number."""
    return varint(field << 3) + varint(value)


def octets(field: int, value: bytes) -> bytes:
    """Return a field that is octets, a text or a message."""
    return varint(field << 3 | 2) + varint(len(value)) + value


def metric(
    name: str = "",
    value: Any = None,
    *,
    alias: int | None = None,
    kind: int = 0,
    told: bool = True,
    time_ms: int | None = None,
    extra: bytes = b"",
) -> bytes:
    """Return a metric; `kind` says how its value is written, and is in it where `told`."""
    made = octets(1, name.encode()) if name else b""
    made += number(2, alias) if alias is not None else b""
    made += number(3, time_ms) if time_ms is not None else b""
    made += number(4, kind) if told and kind else b""
    made += extra + (number(7, 1) if value is None else _value(kind, value))
    return made


def payload(
    *metrics: bytes, seq: int | None = None, time_ms: int | None = 1_700_000_000_000
) -> bytes:
    """Return a payload."""
    made = number(1, time_ms) if time_ms is not None else b""
    made += b"".join(octets(2, each) for each in metrics)
    return made + (number(3, seq) if seq is not None else b"")


def _value(kind: int, value: Any) -> bytes:
    if kind in WHOLE:
        bits = WHOLE[kind]
        return number(10 if bits == 32 else 11, value % (1 << bits))
    if kind == 9:
        return varint(12 << 3 | 5) + struct.pack("<f", value)
    if kind == 10:
        return varint(13 << 3 | 1) + struct.pack("<d", value)
    if kind == 11:
        return number(14, int(value))
    if kind in (12, 14, 15):
        return octets(15, value.encode())
    return octets(16 if kind < 19 or kind >= 22 else 18, value)
