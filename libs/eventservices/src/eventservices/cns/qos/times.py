"""Times as CORBA's time service writes them, and from and to what Python programs use.

A `TimeT` counts units of 100 ns. As a duration (`Timeout`, `PacingInterval`) it is relative; within
a `UtcT` (`StartTime`, `StopTime`) it counts from 15 October 1582, 0 h UTC.

Source:
    OMG Time Service, module `TimeBase`.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

TICKS_PER_US = 10
UNIX_EPOCH_US = 12_219_292_800_000_000
"""Microseconds from 15 October 1582 to 1 January 1970."""

_UNIX_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_US = timedelta(microseconds=1)


def time_t(duration: timedelta | float) -> int:
    """Return a duration as a `TimeT`.

    Args:
        duration: A `timedelta`, or seconds.

    Returns:
        Units of 100 ns.
    """
    if isinstance(duration, timedelta):
        return duration // _US * TICKS_PER_US
    return round(duration * 1_000_000 * TICKS_PER_US)


def utc_t(moment: datetime | int) -> dict[str, int]:
    """Return a moment as a `UtcT`, a struct as an event's header carries it.

    Args:
        moment: A `datetime` with its time zone, or microseconds since 1970 UTC.
    """
    unix_us = moment if isinstance(moment, int) else (moment - _UNIX_EPOCH) // _US
    ticks = (unix_us + UNIX_EPOCH_US) * TICKS_PER_US
    return {"time": ticks, "inacclo": 0, "inacchi": 0, "tdf": 0}


def us_of_time_t(ticks: int) -> int:
    """Return a `TimeT` duration in microseconds, rounded down."""
    return ticks // TICKS_PER_US


def us_of_utc_t(moment: Mapping[str, int]) -> int:
    """Return a `UtcT` as microseconds since 1970 UTC, rounded down."""
    return moment["time"] // TICKS_PER_US - UNIX_EPOCH_US
