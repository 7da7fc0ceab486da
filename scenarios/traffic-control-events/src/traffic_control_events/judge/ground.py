"""The ground truth: what the vehicle published, where it was, and who is within range."""

import csv
import json
from bisect import bisect_right
from dataclasses import dataclass
from math import acos, cos, radians, sin
from pathlib import Path

from traffic_control_events.judge.errors import UnjudgedError
from traffic_control_events.judge.records import Copy, read_lines
from traffic_control_events.story import DRIVE, PLACES, SAID, SCRIPT, TRACE

EARTH_M = 6_371_008.8
EDGE_M = 0.1
"""So near to the edge of a range that either is right."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Monitor:
    """A monitor: its access point's name, its place, and how far it receives, metres."""

    name: str
    at: Point
    range_m: float


@dataclass(frozen=True, slots=True)
class Ground:
    """What is true of a run.

    Attributes:
        planned: (time, subject) of each event that was to be published, from the first published
            one on.
        said: What was published, by identity.
        monitors: Who may receive it.
        times_us: When the vehicle was seen at each of its `points`.
        points: Where it was, degrees; it drives straight from one to the next.
    """

    planned: tuple[tuple[int, str], ...]
    said: dict[str, Copy]
    monitors: tuple[Monitor, ...]
    times_us: tuple[int, ...]
    points: tuple[Point, ...]

    def where(self, time_us: int) -> Point:
        """Return where the vehicle was.

        Raises:
            UnjudgedError: The trace does not state it.
        """
        after = bisect_right(self.times_us, time_us)
        if after in {0, len(self.times_us)}:
            raise UnjudgedError(f"{TRACE} does not state where the vehicle was at {time_us}")
        began_us, ended_us = self.times_us[after - 1 : after + 1]
        (lat, lon), (to_lat, to_lon) = self.points[after - 1 : after + 1]
        share = (time_us - began_us) / (ended_us - began_us)
        return lat + (to_lat - lat) * share, lon + (to_lon - lon) * share

    def hearing(self, time_us: int, slack_m: float) -> frozenset[str]:
        """Return the monitors that receive the vehicle.

        Args:
            time_us: When it speaks.
            slack_m: How much farther they receive than they do; negative for less far.
        """
        at = self.where(time_us)
        near = (one for one in self.monitors if apart_m(at, one.at) <= one.range_m + slack_m)
        return frozenset(one.name for one in near)


def read_ground(folder: Path) -> Ground:
    """Return the ground truth of a run.

    Raises:
        UnjudgedError: A file of it is missing or cannot be read.
    """
    try:
        trace, script = _rows(folder / TRACE), _rows(folder / SCRIPT)
        monitors = [
            Monitor(row["monitor"], _point(row), float(row["range_m"]))
            for row in _rows(folder / PLACES)
        ]
        seconds = int(json.loads(_text(folder / DRIVE))["seconds"])
        planned = [(int(row["time_us"]), row["subject"]) for row in script]
        times_us = [int(row["time_us"]) for row in trace]
        points = [_point(row) for row in trace]
    except UnjudgedError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise UnjudgedError(f"{folder}: the plan cannot be read: {error!r}") from error
    said = read_lines(folder / SAID, Copy.of_said)
    first_us = min((copy.time_us for copy in said), default=0)
    told_us = range(first_us, first_us + seconds * 1_000_000)
    return Ground(
        tuple(each for each in planned if each[0] in told_us),
        {copy.id: copy for copy in said},
        tuple(monitors),
        tuple(times_us),
        tuple(points),
    )


def apart_m(here: Point, there: Point) -> float:
    """Return the great-circle distance of two places in degrees, metres."""
    (lat, lon), (to_lat, to_lon) = ((radians(x), radians(y)) for x, y in (here, there))
    level = cos(lat) * cos(to_lat) * cos(to_lon - lon)
    return EARTH_M * acos(min(1.0, sin(lat) * sin(to_lat) + level))


def _rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(_text(path).splitlines()))


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except OSError as error:
        raise UnjudgedError(f"{path}: {error.strerror}") from error


def _point(row: dict[str, str]) -> Point:
    return float(row["lat"]), float(row["lon"])
