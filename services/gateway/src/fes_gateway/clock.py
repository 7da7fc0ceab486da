"""The present moment on the wall clock, the federation clock and a steady clock."""

from fes.federation.clock import TimeTeller
from fes.gateway.settings import Instant
from serving.clocks import steady_us, wall_us


def instant(clock: TimeTeller) -> Instant:
    """Return the present moment on all clocks."""
    now_us = wall_us()
    return Instant(now_us, clock.time_us(now_us), steady_us())
