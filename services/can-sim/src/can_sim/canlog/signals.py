"""The signals in a frame, by the definitions of a DBC.

Every signal whose bits are all there is read; what a short frame cuts off is left out, never
guessed. Of a multiplexed message only the signals of the selected group are read.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass

from cantools.database import Message
from cantools.database.can.signal import Signal

_FLOATS = {16: "e", 32: "f", 64: "d"}


@dataclass(frozen=True, slots=True)
class Decoded:
    """What a frame says.

    Attributes:
        values: Scaled value by signal.
        raw: Raw bits (unsigned) by signal.
        short: Whether the frame has fewer bytes than its definition.
        unknown_selectors: Selector value by selector signal, where the definition knows no group
            of that value: that part of the frame stays undecoded.
    """

    values: Mapping[str, float]
    raw: Mapping[str, int]
    short: bool
    unknown_selectors: Mapping[str, int]


def decode(message: Message, data: bytes) -> Decoded:
    """Return the signals of a frame.

    Args:
        message: The frame's definition.
        data: Its payload, of any length.
    """
    bits = {signal.name: raw_bits(signal, data) for signal in message.signals}
    present = {
        signal.name: signal for signal in message.signals if _selected(signal, message, bits)
    }
    raw = {name: value for name in present if (value := bits[name]) is not None}
    return Decoded(
        {name: scaled(present[name], value) for name, value in raw.items()},
        raw,
        len(data) < message.length,
        _unknown_selectors(message, raw),
    )


def raw_bits(signal: Signal, data: bytes) -> int | None:
    """Return a signal's bits as an unsigned number; None where the frame does not hold them all.

    Source:
        DBC: a little-endian signal starts at its lowest bit, a big-endian one at its highest, bits
        numbered from the lowest of byte 0.
    """
    total = 8 * len(data)
    mask = (1 << signal.length) - 1
    if signal.byte_order == "little_endian":
        if signal.start + signal.length > total:
            return None
        return (int.from_bytes(data, "little") >> signal.start) & mask
    first = 8 * (signal.start // 8) + 7 - signal.start % 8
    if first + signal.length > total:
        return None
    return (int.from_bytes(data, "big") >> (total - first - signal.length)) & mask


def scaled(signal: Signal, raw: int) -> float:
    """Return the value that a signal's bits represent, in the signal's unit."""
    value: float = raw
    if signal.conversion.is_float:
        code = _FLOATS[signal.length]
        value = struct.unpack(f">{code}", raw.to_bytes(signal.length // 8, "big"))[0]
    elif signal.is_signed and raw >> (signal.length - 1):
        value = raw - (1 << signal.length)
    return float(value) * float(signal.scale) + float(signal.offset)


def _selected(signal: Signal, message: Message, bits: Mapping[str, int | None]) -> bool:
    while signal.multiplexer_signal:
        if bits[signal.multiplexer_signal] not in (signal.multiplexer_ids or ()):
            return False
        signal = message.get_signal_by_name(signal.multiplexer_signal)
    return True


def _unknown_selectors(message: Message, raw: Mapping[str, int]) -> dict[str, int]:
    known: dict[str, set[int]] = {}
    for signal in message.signals:
        if signal.multiplexer_signal:
            known.setdefault(signal.multiplexer_signal, set()).update(signal.multiplexer_ids or ())
    return {name: raw[name] for name, ids in known.items() if name in raw and raw[name] not in ids}
