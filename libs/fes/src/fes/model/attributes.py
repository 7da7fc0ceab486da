"""The standard attributes of events."""

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, TypeGuard

from fes.errors import EventError
from fes.model.event import Event

PRIORITY: Final = "Priority"
PROXIMITY: Final = "Proximity"
TIMEOUT: Final = "Timeout"
START_TIME: Final = "StartTime"
STOP_TIME: Final = "StopTime"
RELIABILITY: Final = "Reliability"

PRIORITY_MIN, PRIORITY_MAX = -32767, 32767
BEST_EFFORT, PERSISTENT = 0, 1

LONGEST_PROXIMITY: Final = 1024
"""Most characters of a `Proximity`; its numbers never need so many."""

# float() accepts more than people consider a number: `1_000`, `nan`, digits of any script.
_NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)

AT_ONCE_US: Final = 1
"""Replaces an end at 1970-01-01 exactly, since 0 means none."""

LONGEST_TIMEOUT_S: Final = 1e10
"""With a longer `Timeout`, some three centuries, the event never expires."""


@dataclass(frozen=True, slots=True)
class Circle:
    """A circular proximity.

    Attributes:
        lat_deg, lon_deg: Reference point, WGS 84; an offset in degrees where `relative`.
        radius_m: Not negative.
        relative: Whether the reference point moves with the producer.
    """

    lat_deg: float
    lon_deg: float
    radius_m: float
    relative: bool


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A rectangular proximity, centred on its reference point.

    Attributes:
        lat_deg, lon_deg: Reference point, WGS 84; an offset in degrees where `relative`.
        dimx_m, dimy_m: Full extents along longitude and latitude; not negative.
        relative: Whether the reference point moves with the producer.
    """

    lat_deg: float
    lon_deg: float
    dimx_m: float
    dimy_m: float
    relative: bool


Proximity = Circle | Rectangle


def parse_proximity(text: str) -> Proximity:
    """Return the proximity that an attribute's text specifies.

    Args:
        text: Circle `0,sub,lat,lon,radius` or rectangle `1,sub,lat,lon,dimx,dimy`; sub is 0 for
            absolute and 1 for relative; degrees and metres.

    Raises:
        EventError: The text is neither.

    Source:
        FES thesis, section 5.2.3; units: design, section 3.
    """
    shape, sub, *parts = _parts(text)
    numbers = [float(part) for part in parts]
    good = all(math.isfinite(number) for number in numbers)
    sizes = numbers[2:]
    if not good or sub not in ("0", "1") or any(size < 0 for size in sizes):
        raise EventError(f"Proximity {text[:80]!r} is out of range")
    if shape == "0" and len(numbers) == 3:
        return Circle(numbers[0], numbers[1], numbers[2], sub == "1")
    if shape == "1" and len(numbers) == 4:
        return Rectangle(numbers[0], numbers[1], numbers[2], numbers[3], sub == "1")
    raise EventError(f"Proximity {text[:80]!r} is neither a circle nor a rectangle")


def _parts(text: str) -> list[str]:
    """Return the numbers of a proximity, as texts."""
    parts = [part.strip() for part in text.split(",")] if len(text) <= LONGEST_PROXIMITY else []
    if len(parts) < 2 or not all(map(_NUMBER.fullmatch, parts)):
        raise EventError(f"Proximity {text[:80]!r} is not a list of numbers")
    return parts


def write_proximity(area: Proximity) -> str:
    """Return the attribute's text of a proximity."""
    sub = int(area.relative)
    if isinstance(area, Circle):
        return f"0,{sub},{area.lat_deg!r},{area.lon_deg!r},{area.radius_m!r}"
    return f"1,{sub},{area.lat_deg!r},{area.lon_deg!r},{area.dimx_m!r},{area.dimy_m!r}"


def priority(event: Event) -> int:
    """Return an event's priority; 0 where it has none or one that is out of range."""
    value = event.attribute(PRIORITY)
    return value if _is_priority(value) else 0


def is_persistent(event: Event) -> bool:
    """Return whether an event requests persistent delivery; a malformed request does not count."""
    value = event.attribute(RELIABILITY)
    return _is_whole(value) and value == PERSISTENT


def malformed(event: Event) -> tuple[str, ...]:
    """Return descriptions of an event's malformed `Priority` and `Reliability`.

    Such a value counts as the default, which has to be reported, since it is not absent.
    """
    found = []
    value = event.attribute(PRIORITY)
    if value is not None and not _is_priority(value):
        what = f"a long from {PRIORITY_MIN} to {PRIORITY_MAX}"
        found.append(f"attribute {PRIORITY!r}: {value!r:.40} is not {what}; 0 is used")
    value = event.attribute(RELIABILITY)
    if value is not None and not (_is_whole(value) and value in (BEST_EFFORT, PERSISTENT)):
        found.append(f"attribute {RELIABILITY!r}: {value!r:.40} is not 0 or 1; 0 is used")
    return tuple(found)


def check(event: Event) -> None:
    """Raise an error where a standard attribute of an event is malformed.

    Raises:
        EventError: The message names the attribute and its value.
    """
    expires_us(event, 0)
    starts_us(event)
    proximity = event.attribute(PROXIMITY)
    if proximity is not None:
        parse_proximity(proximity if isinstance(proximity, str) else repr(proximity))
    for text in malformed(event):
        raise EventError(text.partition(";")[0])


def expires_us(event: Event, time_us: int) -> int:
    """Return when an event expires, microseconds since 1970 UTC; 0 where it never does.

    Args:
        event: The event; its `Timeout` (seconds from its time) and `StopTime` (ISO 8601) count.
        time_us: The producer's time of the event.

    Raises:
        EventError: `StopTime` is not a date and time, or `Timeout` is not a number of seconds.
    """
    ends = []
    timeout = event.attribute(TIMEOUT)
    if timeout is not None:
        if not _is_duration(timeout):
            raise EventError(f"attribute 'Timeout': {timeout!r:.40} is not a number of seconds")
        if 0 < timeout <= LONGEST_TIMEOUT_S:
            ends.append(time_us + round(timeout * 1e6))
    stop = event.attribute(STOP_TIME)
    if stop is not None:
        ends.append(_moment_us(STOP_TIME, stop))
    return (min(ends) or AT_ONCE_US) if ends else 0


def starts_us(event: Event) -> int:
    """Return before when an event must not be delivered, microseconds since 1970 UTC.

    Args:
        event: The event; its `StartTime` (ISO 8601) counts.

    Returns:
        0 where it may be delivered at once.

    Raises:
        EventError: `StartTime` is not a date and time.
    """
    start = event.attribute(START_TIME)
    return 0 if start is None else max(0, _moment_us(START_TIME, start))


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_duration(value: object) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return math.isfinite(value) and value >= 0


def _moment_us(name: str, value: object) -> int:
    refusal = f"attribute {name!r}: {value!r:.60} is not ISO 8601"
    if not isinstance(value, str):
        raise EventError(refusal)
    try:
        moment = datetime.fromisoformat(value)
    except ValueError as error:
        raise EventError(refusal) from error
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1e6)


def _is_priority(value: object) -> TypeGuard[int]:
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    return PRIORITY_MIN <= value <= PRIORITY_MAX
