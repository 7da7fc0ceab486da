"""The moment, on the wall clock, on the federation clock and on one that only goes forward."""

import time

from fes.federation.clock import TimeTeller
from fes.gateway.settings import Instant
from serving.wall_clock import wall_us

_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""On Linux the one that counts a suspended machine's time, too: who slept was away."""


def steady_us() -> int:
    """Return a clock that nobody sets, microseconds; it goes on while the machine sleeps."""
    return time.clock_gettime_ns(_STEADY) // 1000


def instant(clock: TimeTeller) -> Instant:
    """Return the moment on all clocks."""
    now_us = wall_us()
    return Instant(now_us, clock.time_us(now_us), steady_us())
