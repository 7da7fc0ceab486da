"""Quality of service in a structured event's header, and the standard attributes of the model.

| attribute | header field | |
|---|---|---|
| `Priority`, long | `Priority`, short | the same number |
| `Reliability`, long | `EventReliability`, short | 0 best effort, 1 persistent |
| `Timeout`, double, seconds | `Timeout`, TimeT | 100 ns |
| `StartTime`, `StopTime`, ISO 8601 | UtcT | 100 ns since 15 October 1582, displacement in minutes |

What would come back otherwise than it went out stays as it is: its type tells a double of seconds
from a TimeT, and text from a UtcT.

Source:
    OMG Notification Service 1.1, section 2.5.5; Time Service, `TimeBase`.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final, TypeGuard

from eventservices.cns import LongLong, Value
from fes.model import Field, Type, attributes
from fes.model.types import INT64_MAX

EVENT_RELIABILITY: Final = "EventReliability"
TICKS_PER_S: Final = 10_000_000
"""TimeT counts in units of 100 ns."""

_EPOCH: Final = datetime(1582, 10, 15, tzinfo=UTC)
_DAY_MINUTES: Final = 24 * 60
_MOMENT: Final = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,7}))?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII
)

Named = tuple[str, Value]


def _timeout_out(field: Field) -> Named | None:
    value = field.value
    if field.type in (Type.LONG, Type.LONGLONG) and value >= 0:
        # A whole number here would read as a TimeT; beyond 29,000 years it need not be exact.
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
    utc = _to_utc(field.value) if field.type is Type.STRING else None
    if utc is None or _from_utc(*utc) != field.value:
        return None
    ticks, minutes = utc
    return field.id, {"time": ticks, "inacclo": 0, "inacchi": 0, "tdf": minutes}


def _moment_in(name: str, value: Value) -> Field | None:
    if not isinstance(value, Mapping):
        return None
    ticks, minutes = value.get("time"), value.get("tdf", 0)
    if not _is_integer(ticks) or not _is_integer(minutes):
        return None
    text = _from_utc(int(ticks), int(minutes))
    return None if text is None else Field(name, Type.STRING, text)


def _to_utc(text: str) -> tuple[int, int] | None:
    """Return ticks since 15 October 1582 and displacement in minutes of an ISO 8601 text."""
    found = _MOMENT.fullmatch(text)
    if found is None:
        return None
    second, fraction, sign, hours, minutes = found.groups()
    try:
        local = datetime.fromisoformat(second).replace(tzinfo=UTC) - _EPOCH
    except ValueError:
        return None
    displacement = 0 if sign is None else int(f"{sign}1") * (int(hours) * 60 + int(minutes))
    seconds = local.days * 86_400 + local.seconds - displacement * 60
    ticks = seconds * TICKS_PER_S + int((fraction or "0").ljust(7, "0"))
    return (ticks, displacement) if ticks >= 0 else None


def _from_utc(ticks: int, minutes: int) -> str | None:
    """Return a UtcT as ISO 8601 text; None where no calendar has it."""
    if ticks < 0 or not -_DAY_MINUTES < minutes < _DAY_MINUTES:
        return None
    seconds, fraction = divmod(ticks, TICKS_PER_S)
    try:
        moment = _EPOCH + timedelta(seconds=seconds) + timedelta(minutes=minutes)
    except OverflowError:
        return None
    text = moment.replace(tzinfo=None).isoformat()
    if fraction:
        text += f".{fraction:07}".rstrip("0")
    sign, ahead = "+" if minutes >= 0 else "-", abs(minutes)
    return text + (f"{sign}{ahead // 60:02}:{ahead % 60:02}" if minutes else "Z")


def _is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


OUT: Final[Mapping[str, Callable[[Field], Named | None]]] = {
    attributes.TIMEOUT: _timeout_out,
    attributes.RELIABILITY: _reliability_out,
    attributes.START_TIME: _moment_out,
    attributes.STOP_TIME: _moment_out,
}
"""Name of an attribute to what makes the header field; None where it stays as it is."""

IN: Final[Mapping[str, Callable[[str, Value], Field | None]]] = {
    attributes.TIMEOUT: _timeout_in,
    EVENT_RELIABILITY: _reliability_in,
    attributes.START_TIME: _moment_in,
    attributes.STOP_TIME: _moment_in,
}
"""Name of a header field to what makes the attribute; None where it stays as it is."""
