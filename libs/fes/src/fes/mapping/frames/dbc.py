"""Messages of CAN databases.

cantools reads the file; payloads are read and written by our own layouts, since a signal is present
exactly when its own octets are, whatever the payload's length.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from eventservices.canlog.j1939 import VALUE_BITS, speaks_j1939
from eventservices.canlog.textlines import decoded

from fes.errors import MappingError
from fes.mapping.fields.quantity import Scaling
from fes.mapping.frames.bits import Bits, bit_bits
from fes.mapping.rules.model import DbcMessage, Endian

MAX_BYTES: Final = 32 * 1024 * 1024
"""Largest file that is read."""

Condition = tuple[tuple[Bits, frozenset[int]], ...]
"""Selectors, and the values of each with which a signal is present."""


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal of a message.

    Attributes:
        id: Its name.
        bits: Where it is.
        scaling: Between the raw and the physical value.
        is_real: Whether it is an IEEE 754 number.
        texts: Number to text, of named values.
        when: When it is present.
        top: Its highest octet where SAE J1939 defines that: from 0xFB on there is no value. None
            elsewhere.
    """

    id: str
    bits: Bits
    scaling: Scaling
    is_real: bool
    texts: Mapping[int, str]
    when: Condition
    top: Bits | None = None


@dataclass(frozen=True, slots=True)
class Selector:
    """A multiplexer signal.

    Attributes:
        id: Its name.
        bits: Where it is.
        known: The values that the database defines.
        when: When it is present itself.
    """

    id: str
    bits: Bits
    known: frozenset[int]
    when: Condition


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a CAN database.

    Attributes:
        can_id: Its identifier.
        extended: Whether that has 29 bits.
        size: Octets of its payload.
        signals: By name, in the order of the payload.
        selectors: Its multiplexers.
        group: Whether it applies to all identifiers of its parameter group (SAE J1939).
    """

    can_id: int
    extended: bool
    size: int
    signals: Mapping[str, Signal]
    selectors: tuple[Selector, ...]
    group: bool = False


def read_message(wanted: DbcMessage) -> Message:
    """Return a message of a DBC file.

    Args:
        wanted: File and name; the file is UTF-8, or else Windows-1252, as vendors' editors write.

    Raises:
        MappingError: The file cannot be read, or has no such message.
    """
    try:
        database = _database(Path(wanted.file))
        found = database.get_message_by_name(wanted.message)
    except KeyError as error:
        raise MappingError(f"{wanted.file} has no message {wanted.message!r}") from error
    raw = {signal.name: signal for signal in found.signals}
    group = found.is_extended_frame and _is_group(database, found)
    signals = {name: _signal(signal, raw, group=group) for name, signal in raw.items()}
    return Message(
        found.frame_id,
        found.is_extended_frame,
        found.length,
        signals,
        _selectors(signals, raw),
        group,
    )


def is_there(when: Condition, octets: bytes | bytearray) -> bool:
    """Return whether a payload fulfils a condition."""
    return all(len(octets) >= bits.size and bits.read(octets) in ids for bits, ids in when)


def _database(path: Path) -> Any:
    import cantools  # noqa: PLC0415 - 0.2 s that only federations with a DBC file pay

    try:
        # Not strict: other messages of the file may overlap; ours are checked before they go out.
        return cantools.database.load_string(decoded(_data(path)), "dbc", strict=False)
    except (OSError, ValueError, LookupError, TypeError, cantools.Error) as error:
        reason = " ".join(str(error).split())
        raise MappingError(f"{path} cannot be read as a DBC file: {reason}") from error


def _data(path: Path) -> bytes:
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise MappingError(f"it has more than {MAX_BYTES} bytes")
    return data


def _is_group(database: Any, message: Any) -> bool:
    of_all = database.dbc.attributes.get("ProtocolType") if database.dbc else None
    own = message.dbc.attributes.get("VFrameFormat") if message.dbc else None
    return speaks_j1939(message.protocol, str(of_all.value) if of_all else "", own)


def _top(signal: Any) -> Bits | None:
    if signal.is_float or signal.is_signed or signal.length not in VALUE_BITS:
        return None
    endian: Endian = "little" if signal.byte_order == "little_endian" else "big"
    start = signal.start + signal.length - 8 if endian == "little" else signal.start
    return bit_bits(start, 8, endian, signed=False)


def _signal(signal: Any, others: Mapping[str, Any], *, group: bool) -> Signal:
    return Signal(
        signal.name,
        _bits(signal),
        Scaling(_whole(signal.scale), _whole(signal.offset)),
        signal.is_float,
        {int(key): str(text) for key, text in (signal.choices or {}).items()},
        _condition(signal, others),
        _top(signal) if group else None,
    )


def _bits(signal: Any) -> Bits:
    endian: Endian = "little" if signal.byte_order == "little_endian" else "big"
    return bit_bits(signal.start, signal.length, endian, signed=signal.is_signed)


def _whole(value: float) -> int | float:
    return int(value) if float(value).is_integer() else float(value)


def _condition(signal: Any, others: Mapping[str, Any]) -> Condition:
    selector = others.get(signal.multiplexer_signal)
    if selector is None:
        return ()
    own = (_bits(selector), frozenset(signal.multiplexer_ids or ()))
    return (*_condition(selector, others), own)


def _selectors(signals: Mapping[str, Signal], raw: Mapping[str, Any]) -> tuple[Selector, ...]:
    return tuple(
        Selector(name, signal.bits, _known(name, raw) | frozenset(signal.texts), signal.when)
        for name, signal in signals.items()
        if raw[name].is_multiplexer
    )


def _known(selector: str, raw: Mapping[str, Any]) -> frozenset[int]:
    below = [signal for signal in raw.values() if signal.multiplexer_signal == selector]
    return frozenset(value for signal in below for value in signal.multiplexer_ids or ())
