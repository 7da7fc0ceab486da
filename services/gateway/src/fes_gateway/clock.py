"""The present moment on the wall clock, the federation clock and a steady clock."""

import time

from fes.federation.clock import TimeTeller
from fes.gateway.settings import Instant
from serving.wall_clock import wall_us

_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""On Linux the clock that also counts the time of a suspended machine, during which it was away."""


def steady_us() -> int:
    """Return a clock that cannot be set, microseconds.

    It advances while the machine is suspended.
    """
    return time.clock_gettime_ns(_STEADY) // 1000


def instant(clock: TimeTeller) -> Instant:
    """Return the present moment on all clocks."""
    now_us = wall_us()
    return Instant(now_us, clock.time_us(now_us), steady_us())
