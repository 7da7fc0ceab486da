"""The trace's clock, as the federation's clock has it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TraceClock:
    """States when a moment of the trace is, on the wall clock.

    Attributes:
        start_us: The trace's time when the clock began.
        wall_start_us: The wall clock's time then, microseconds since 1970 UTC.
        speed: Seconds of the trace in a second of the wall clock; above 0.
    """

    start_us: int
    wall_start_us: int
    speed: float = 1.0

    def wall_us(self, time_us: int) -> int:
        """Return the wall clock's time at a moment of the trace, microseconds since 1970 UTC."""
        return self.wall_start_us + round((time_us - self.start_us) / self.speed)
