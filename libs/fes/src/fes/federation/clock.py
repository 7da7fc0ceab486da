"""The federation clock: the time of the trace, computed from the wall clock."""

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Protocol

import msgspec
from msgspec import UNSET
from serving.files import write_whole

from fes.errors import FederationError
from fes.federation.model import Clock

_log = logging.getLogger(__name__)

LOOK_US: Final = 20_000
"""Time between two checks whether a clock has begun, microseconds."""

MOST_BYTES: Final = 4096

FIRST_S, LAST_S = -62_135_596_800, 253_402_300_799
"""Ends of the calendar, seconds since 1970 UTC."""


@dataclass(frozen=True, slots=True)
class FederationClock:
    """Computes the trace's time: start + (wall clock - wall clock at the start) * speed.

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
            FederationError: The clock differs from the wall clock, and the file does not specify
                since when (`wall_start_us`).
        """
        if _is_the_wall_clock(clock):
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


class TimeTeller(Protocol):
    """Computes the trace's time; see `FederationClock`."""

    def time_us(self, wall_us: int) -> int:
        """Return the trace's time at a moment of the wall clock, both in microseconds."""
        ...


class Beginning(msgspec.Struct, frozen=True):
    """The beginning of a run's clock, as in the run's `clock.json`.

    Attributes:
        start_us: Time of the trace then, microseconds since 1970 UTC.
        wall_start_us: Wall clock then, microseconds since 1970 UTC.
        speed: Seconds of the trace in a second of the wall clock.
    """

    start_us: int
    wall_start_us: int
    speed: float

    @staticmethod
    def of(clock: Clock, wall_start_us: int) -> "Beginning":
        """Return the beginning of a resolved file's clock at a moment of the wall clock."""
        if _is_the_wall_clock(clock):
            return Beginning(wall_start_us, wall_start_us, 1.0)
        described = FederationClock.of(clock)
        return Beginning(described.start_us, wall_start_us, described.speed)

    def write(self, path: Path) -> None:
        """Write it whole.

        Raises:
            OSError: The file cannot be written.
        """
        write_whole(path, msgspec.json.encode(self).decode() + "\n")


class AwaitedClock:
    """The federation clock of a run whose trace begins once everything is ready.

    Until a file states when it begins, the trace's time stays at its start.

    Args:
        clock: The clock of the resolved file.
        path: The file, which is written later.
    """

    def __init__(self, clock: Clock, path: Path) -> None:
        self._path = path
        self._start_us = FederationClock.of(clock).start_us
        self._begun: FederationClock | None = None
        self._looked_us = 0
        self._unreadable = False

    def time_us(self, wall_us: int) -> int:
        """Return the trace's time at a moment of the wall clock, both in microseconds."""
        if self._begun is not None:
            return self._begun.time_us(wall_us)
        if abs(wall_us - self._looked_us) >= LOOK_US:
            self._looked_us = wall_us
            self._begun = self._read()
        if self._begun is None:
            return self._start_us
        return max(self._start_us, self._begun.time_us(wall_us))

    def _read(self) -> FederationClock | None:
        try:
            with self._path.open("rb") as file:
                told = msgspec.json.decode(file.read(MOST_BYTES), type=Beginning)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.DecodeError, UnicodeError) as error:
            if not self._unreadable:
                self._unreadable = True
                _log.warning("clock_not_read", extra={"path": str(self._path), "error": str(error)})
            return None
        return FederationClock(told.start_us, told.speed, told.wall_start_us)


def clock_of(clock: Clock, path: Path | None) -> TimeTeller:
    """Return the federation clock.

    Args:
        clock: The clock of the resolved file.
        path: File that states when it begins; None where the resolved file does.

    Raises:
        FederationError: As for `FederationClock.of`.
    """
    if path is None or _is_the_wall_clock(clock):
        return FederationClock.of(clock)
    return AwaitedClock(clock, path)


def _is_the_wall_clock(clock: Clock) -> bool:
    return clock.start is UNSET and clock.speed == 1


def moment_us(moment: float | str) -> int:
    """Return a moment as microseconds since 1970 UTC.

    Args:
        moment: Seconds since 1970 UTC, or ISO 8601; UTC where it names no zone.

    Raises:
        FederationError: The text is not a moment in ISO 8601, or the number is not within the years
            1 to 9999.
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
