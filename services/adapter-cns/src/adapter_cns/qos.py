"""Quality of service in a structured event's header, and the standard attributes of the model.

| attribute | header field | |
|---|---|---|
| `Priority`, long | `Priority`, short | the same number |
| `Reliability`, long | `EventReliability`, short | 0 best effort, 1 persistent |
| `Timeout`, double, seconds | `Timeout`, TimeT | 100 ns |
| `StartTime`, `StopTime`, ISO 8601 | UtcT | 100 ns since 15 October 1582, displacement in minutes |

What would come back changed is not converted: its type distinguishes a double of seconds from a
TimeT, and text from a UtcT.

Source:
    OMG Notification Service 1.1, section 2.5.5; Time Service, `TimeBase`.
"""

from collections.abc import Callable, Mapping
from typing import Final, TypeGuard

from eventservices.cns import LongLong, Value
from eventservices.cns.timebase import TICKS_PER_S, text_of, utc_of
from fes.model import Field, Type, attributes
from fes.model.types import INT64_MAX

EVENT_RELIABILITY: Final = "EventReliability"
Named = tuple[str, Value]


def _timeout_out(field: Field) -> Named | None:
    value = field.value
    if field.type in (Type.LONG, Type.LONGLONG) and value >= 0:
        # An integer here would be read as a TimeT; beyond 29,000 years it need not be exact.
        return field.id, LongLong(min(value * TICKS_PER_S, INT64_MAX))
    if field.type is not Type.DOUBLE or not 0 <= value < INT64_MAX / TICKS_PER_S:
        return None
    ticks = round(value * TICKS_PER_S)
    return (field.id, LongLong(ticks)) if ticks / TICKS_PER_S == value else None


def _timeout_in(name: str, value: Value) -> Field | None:
    if not _is_integer(value) or value < 0:
        return None
    return Field(name, Type.DOUBLE, value / TICKS_PER_S)


def _reliability_out(field: Field) -> Named | None:
    known = field.type is Type.LONG and field.value in (0, 1)
    return (EVENT_RELIABILITY, field.value) if known else None


def _reliability_in(_name: str, value: Value) -> Field | None:
    if not _is_integer(value) or value not in (0, 1):
        return None
    return Field(attributes.RELIABILITY, Type.LONG, int(value))


def _moment_out(field: Field) -> Named | None:
    utc = utc_of(field.value) if field.type is Type.STRING else None
    if utc is None or text_of(*utc) != field.value:
        return None
    ticks, minutes = utc
    return field.id, {"time": ticks, "inacclo": 0, "inacchi": 0, "tdf": minutes}


def _moment_in(name: str, value: Value) -> Field | None:
    if not isinstance(value, Mapping):
        return None
    ticks, minutes = value.get("time"), value.get("tdf", 0)
    if not _is_integer(ticks) or not _is_integer(minutes):
        return None
    text = text_of(int(ticks), int(minutes))
    return None if text is None else Field(name, Type.STRING, text)


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


OUT: Final[Mapping[str, Callable[[Field], Named | None]]] = {
    attributes.TIMEOUT: _timeout_out,
    attributes.RELIABILITY: _reliability_out,
    attributes.START_TIME: _moment_out,
    attributes.STOP_TIME: _moment_out,
}
"""Conversions into header fields by the name of the attribute; None where it stays unchanged."""

IN: Final[Mapping[str, Callable[[str, Value], Field | None]]] = {
    attributes.TIMEOUT: _timeout_in,
    EVENT_RELIABILITY: _reliability_in,
    attributes.START_TIME: _moment_in,
    attributes.STOP_TIME: _moment_in,
}
"""Conversions into attributes by the name of the header field; None where it stays unchanged."""
