"""The moment, on the wall clock and on the federation clock."""

import time

from fes.federation.clock import FederationClock
from fes.gateway.settings import Instant


def wall_us() -> int:
    """Return the wall clock, microseconds since 1970 UTC."""
    return time.time_ns() // 1000


def instant(clock: FederationClock) -> Instant:
    """Return the moment on both clocks."""
    now_us = wall_us()
    return Instant(now_us, clock.time_us(now_us))
