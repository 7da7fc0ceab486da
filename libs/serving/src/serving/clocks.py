"""The clocks of every program: one for the time of day, one for how long something lasts."""

import time

_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""On Linux the clock that also counts the time of a suspended machine, during which it was away."""


def wall_us() -> int:
    """Return the wall clock, microseconds since 1970 UTC; it may be set back."""
    return time.time_ns() // 1000


def steady_us() -> int:
    """Return a clock that cannot be set, microseconds.

    It advances while the machine is suspended.
    """
    return time.clock_gettime_ns(_STEADY) // 1000
