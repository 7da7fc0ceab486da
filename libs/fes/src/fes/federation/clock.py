"""The federation clock: the trace's time, from the wall clock."""

from dataclasses import dataclass
from datetime import UTC, datetime

from msgspec import UNSET

from fes.errors import FederationError
from fes.federation.model import Clock

FIRST_S, LAST_S = -62_135_596_800, 253_402_300_799
"""Ends of the calendar, seconds since 1970 UTC."""


@dataclass(frozen=True, slots=True)
class FederationClock:
    """Tells the trace's time: start + (wall clock - wall clock at the start) * speed.

    The default is the wall clock's own time.

    Attributes:
        start_us: Time of the trace at the start, microseconds since 1970 UTC.
        speed: Seconds of the trace in a second of the wall clock; positive.
        wall_start_us: Wall clock at the start, microseconds since 1970 UTC.
    """

    start_us: int = 0
    speed: float = 1.0
    wall_start_us: int = 0

    @staticmethod
    def of(clock: Clock) -> "FederationClock":
        """Return the clock that a resolved file describes.

        Raises:
            FederationError: The clock runs otherwise than the wall clock, and the file does not
                tell since when (`wall_start_us`).
        """
        if clock.start is UNSET and clock.speed == 1:
            return FederationClock()
        if clock.wall_start_us is UNSET:
            raise FederationError("is not filled in yet", key="clock.wall_start_us")
        start = clock.wall_start_us if clock.start is UNSET else moment_us(clock.start)
        return FederationClock(start, clock.speed, clock.wall_start_us)

    def time_us(self, wall_us: int) -> int:
        """Return the trace's time at a moment of the wall clock, both in microseconds."""
        passed = wall_us - self.wall_start_us
        if self.speed == 1:
            return self.start_us + passed
        return self.start_us + round(passed * self.speed)

    def wall_us(self, time_us: int) -> int:
        """Return the wall clock at a moment of the trace, both in microseconds."""
        passed = time_us - self.start_us
        if self.speed == 1:
            return self.wall_start_us + passed
        return self.wall_start_us + round(passed / self.speed)


def moment_us(moment: float | str) -> int:
    """Return a moment as microseconds since 1970 UTC.

    Args:
        moment: Seconds since 1970 UTC, or ISO 8601; UTC where it names no zone.

    Raises:
        FederationError: The text is not a moment in ISO 8601, or the number none of the years 1 to
            9999.
    """
    if not isinstance(moment, str):
        if not FIRST_S <= moment <= LAST_S:
            raise FederationError(f"{moment!r} is not a number of seconds of the years 1 to 9999")
        return round(moment * 1_000_000)
    try:
        when = datetime.fromisoformat(moment)
    except ValueError as error:
        raise FederationError(f"{moment[:60]!r} is not a moment in ISO 8601") from error
    aware = when if when.tzinfo else when.replace(tzinfo=UTC)
    passed = aware - datetime(1970, 1, 1, tzinfo=UTC)
    return (passed.days * 86_400 + passed.seconds) * 1_000_000 + passed.microseconds
