"""The time as constraints see it: `$curtime`.

Source:
    OMG Time Service, `TimeBase`: 100 ns ticks since the 15th of October 1582.
"""

import time

from eventservices.cns.value import Value

EPOCH_TICKS = 122_192_928_000_000_000
"""Ticks from 1582-10-15 to 1970-01-01."""


class Ticks(int):
    """A time that is also two halves, `.high` and `.low`, 32 bits each."""

    __slots__ = ()


def ticks_now() -> int:
    """Return the present time, in ticks since 1582-10-15 UTC."""
    return EPOCH_TICKS + time.time_ns() // 100


def utc(ticks: int) -> Value:
    """Return a `TimeBase::UtcT` of UTC, exact as far as it knows."""
    return {
        "_type_id": "UtcT",
        "_repos_id": "IDL:omg.org/TimeBase/UtcT:1.0",
        "time": Ticks(ticks),
        "inacclo": 0,
        "inacchi": 0,
        "tdf": 0,
    }
