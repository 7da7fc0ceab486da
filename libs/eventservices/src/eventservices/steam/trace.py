"""Traces: files with the positions of vehicles, loaded once a process."""

import csv
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from serving.text import open_text

from eventservices.errors import MalformedError
from eventservices.steam.geometry import (
    Position,
    check_position,
    longitude_difference,
    normalised,
)

MAX_TRACES = 4
"""Most files kept; the one unused longest is dropped first."""

_COLUMNS = ("time_us", "vehicle", "lat", "lon")


class Track:
    """The track of one vehicle: positions in order of time."""

    __slots__ = ("_lats", "_lons", "_times")

    def __init__(self) -> None:
        self._times = array("q")
        self._lats = array("d")
        self._lons = array("d")

    def append(self, time_us: int, position: Position) -> None:
        """Add a point; one of the same time replaces the last one.

        Raises:
            MalformedError: The point is older than the last one.
        """
        if self._times and time_us <= self._times[-1]:
            if time_us < self._times[-1]:
                raise MalformedError(f"time {time_us} goes back")
            self._lats[-1], self._lons[-1] = position.lat, position.lon
            return
        self._times.append(time_us)
        self._lats.append(position.lat)
        self._lons.append(position.lon)

    def position_at(self, time_us: int) -> Position | None:
        """Return the position at a time: exact at points, linear between them.

        Returns:
            None before the first point and after the last one.
        """
        after = bisect_right(self._times, time_us)
        if after == 0:
            return None
        before = after - 1
        if self._times[before] == time_us:
            return Position(self._lats[before], self._lons[before])
        return self._between(before, after, time_us) if after < len(self._times) else None

    def _between(self, before: int, after: int, time_us: int) -> Position:
        start = self._times[before]
        share = (time_us - start) / (self._times[after] - start)
        lat, lon = self._lats[before], self._lons[before]
        north = (self._lats[after] - lat) * share
        return normalised(lat + north, lon + longitude_difference(lon, self._lons[after]) * share)


def load_trace(path: Path | str) -> dict[str, Track]:
    """Return the tracks of a trace file by vehicle; read only once while it does not change.

    Args:
        path: CSV file with columns `time_us,vehicle,lat,lon` and any others, sorted by time.

    Raises:
        MalformedError: The file is not such a file; the message names the line.
        OSError: The file cannot be read.
    """
    file = Path(path).resolve()
    status = file.stat()
    return _load(file, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=MAX_TRACES)
def _load(file: Path, changed_ns: int, size_bytes: int) -> dict[str, Track]:  # noqa: ARG001 - part of the cache's key
    tracks: dict[str, Track] = {}
    with open_text(file) as lines:
        reader = csv.reader(lines)
        try:
            header = next(reader, [])
        except (ValueError, csv.Error) as error:
            raise MalformedError(f"{file.name}:1: {error}") from error
        columns = _columns(header, file)
        try:
            for row in reader:
                time_us, vehicle, position = _point(row, columns)
                tracks.setdefault(vehicle, Track()).append(time_us, position)
        except (ValueError, IndexError, OverflowError, csv.Error) as error:
            raise MalformedError(f"{file.name}:{reader.line_num}: {error}") from error
    return tracks


def _columns(header: list[str], file: Path) -> list[int]:
    missing = [name for name in _COLUMNS if name not in header]
    if missing:
        raise MalformedError(f"{file.name}:1: column {missing[0]!r} is missing")
    return [header.index(name) for name in _COLUMNS]


def _point(row: list[str], columns: list[int]) -> tuple[int, str, Position]:
    time_us, vehicle, lat, lon = _pick(row, columns)
    vehicle.encode()  # bytes that are not UTF-8 pass the reader as lone surrogates
    return int(time_us), vehicle, check_position(Position(float(lat), float(lon)))


def _pick(row: list[str], columns: list[int]) -> Iterator[str]:
    return (row[column] for column in columns)
