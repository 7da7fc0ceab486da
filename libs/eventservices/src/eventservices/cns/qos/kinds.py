"""The value types of properties, as plain Python.

| kind | Python |
|---|---|
| `SHORT`, `LONG` | an `int`, also of an `IntEnum`; a `Long` or `LongLong` is never a short |
| `BOOLEAN` | a `bool` |
| `TIME_T` | an `int`, units of 100 ns; or a `timedelta` |
| `UTC_T` | a struct whose `time` counts 100 ns since 15 October 1582 UTC; or a `datetime` |
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from enum import Enum, IntEnum
from typing import TypeAlias

from eventservices.cns.qos.times import time_t, utc_t
from eventservices.cns.value import LongLong

PropertyValue: TypeAlias = bool | int | Mapping[str, int]
"""The value of a property once it is accepted."""


class Long(int):
    """A 32-bit integer that stays one although 16 bits would be enough."""

    __slots__ = ()


class Kind(Enum):
    """The value types of properties."""

    SHORT = "short"
    LONG = "long"
    BOOLEAN = "boolean"
    TIME_T = "TimeT"
    UTC_T = "UtcT"


def read(kind: Kind, given: object) -> PropertyValue | None:
    """Return an argument as a value of a kind; None where it has another type."""
    return _READERS[kind](given)


def magnitude(value: PropertyValue) -> int:
    """Return the number that a range is compared with."""
    return value["time"] if isinstance(value, Mapping) else int(value)


def _short(given: object) -> int | None:
    return int(given) if type(given) is int or isinstance(given, IntEnum) else None


def _long(given: object) -> int | None:
    return int(given) if isinstance(given, Long) else _short(given)


def _boolean(given: object) -> bool | None:
    return given if isinstance(given, bool) else None


def _time_t(given: object) -> int | None:
    if isinstance(given, timedelta):
        return time_t(given)
    return int(given) if isinstance(given, LongLong) else _long(given)


def _utc_t(given: object) -> Mapping[str, int] | None:
    if isinstance(given, datetime) and given.tzinfo is not None:
        return utc_t(given)
    if not isinstance(given, Mapping) or "time" not in given:
        return None
    if not all(isinstance(name, str) and _time_t(part) is not None for name, part in given.items()):
        return None
    return {name: int(part) for name, part in given.items()}


_READERS: dict[Kind, Callable[[object], PropertyValue | None]] = {
    Kind.SHORT: _short,
    Kind.LONG: _long,
    Kind.BOOLEAN: _boolean,
    Kind.TIME_T: _time_t,
    Kind.UTC_T: _utc_t,
}
