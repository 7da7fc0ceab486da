"""The wall clock of every program."""

import time


def wall_us() -> int:
    """Return the wall clock, microseconds since 1970 UTC; it may be set back."""
    return time.time_ns() // 1000
