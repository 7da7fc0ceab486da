"""Location services: where a node is *at a time* on the trace's clock."""

from bisect import bisect_right
from collections import deque
from pathlib import Path
from typing import Protocol

from eventservices.errors import MalformedError
from eventservices.steam.geometry import Position, check_position
from eventservices.steam.trace import Track, load_trace

KEPT_FIXES = 256
"""Fixes that a live location remembers; the oldest is forgotten first."""


class Location(Protocol):
    """Answers where a node is.

    Attributes:
        moves: False where the answer never changes.
    """

    moves: bool

    def position_at(self, time_us: int) -> Position | None:
        """Return the position at a time, microseconds since 1970 UTC; None where not known."""


class FixedLocation:
    """Is the same place at all times.

    Args:
        lat: Degrees north.
        lon: Degrees east.

    Raises:
        MalformedError: The coordinates are no place on the Earth.
    """

    def __init__(self, lat: float, lon: float) -> None:
        self.moves = False
        self._position = check_position(Position(lat, lon))

    def position_at(self, time_us: int) -> Position | None:  # noqa: ARG002 - the protocol requires a time
        """Return the place."""
        return self._position


class TraceLocation:
    """Follows one vehicle of a trace file, which all nodes of a process share.

    Args:
        path: CSV file with columns `time_us,vehicle,lat,lon` and any others.
        vehicle: Whose track it is.

    Raises:
        MalformedError: The file is malformed or has no such vehicle.
    """

    def __init__(self, path: Path | str, vehicle: str) -> None:
        self.moves = True
        tracks = load_trace(path)
        if vehicle not in tracks:
            raise MalformedError(f"trace {Path(path).name} has no vehicle {vehicle!r}")
        self._track: Track = tracks[vehicle]

    def position_at(self, time_us: int) -> Position | None:
        """Return the position on the track; None before its first and after its last point."""
        return self._track.position_at(time_us)


class LiveLocation:
    """Receives where the node is, fix by fix.

    Between two fixes the position is interpolated; after the latest it applies to a while.

    Args:
        hold_s: How long the latest fix counts; seconds of the trace's clock.
        fixes: How many fixes are remembered.
    """

    def __init__(self, hold_s: float = 10.0, fixes: int = KEPT_FIXES) -> None:
        self.moves = True
        self._hold_us = round(hold_s * 1e6)
        self._fixes: deque[tuple[int, Position]] = deque(maxlen=fixes)

    def update(self, time_us: int, lat: float, lon: float) -> None:
        """Accept a fix.

        Args:
            time_us: When it was accepted, on the trace's clock.
            lat: Degrees north.
            lon: Degrees east.

        Raises:
            MalformedError: No place on the Earth, or older than the latest fix.
        """
        position = check_position(Position(lat, lon))
        if self._fixes and time_us <= self._fixes[-1][0]:
            raise MalformedError(f"fix at {time_us} is not newer than the latest one")
        self._fixes.append((time_us, position))

    def position_at(self, time_us: int) -> Position | None:
        """Return the position; None before the first fix remembered and long after the latest."""
        if not self._fixes:
            return None
        latest, position = self._fixes[-1]
        if time_us >= latest:
            return position if time_us - latest <= self._hold_us else None
        after = bisect_right(self._fixes, time_us, key=_time)
        return _track(self._fixes[after - 1], self._fixes[after], time_us) if after else None


def _time(fix: tuple[int, Position]) -> int:
    return fix[0]


def _track(
    before: tuple[int, Position], after: tuple[int, Position], time_us: int
) -> Position | None:
    track = Track()
    track.append(*before)
    track.append(*after)
    return track.position_at(time_us)
