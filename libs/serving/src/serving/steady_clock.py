"""The clock of every program for how long something lasts."""

import time

_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""On Linux the clock that also counts the time of a suspended machine, during which it was away."""


def steady_us() -> int:
    """Return a clock that cannot be set, microseconds.

    It advances while the machine is suspended.
    """
    return time.clock_gettime_ns(_STEADY) // 1000
