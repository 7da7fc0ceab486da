"""The folder of a run: what `can-sim plan` wrote there, and where the rest goes."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from traffic_scenario.errors import InputError

TRACE = "trace.csv"
MONITORS = "monitors.csv"
GROUND_TRUTH = "ground_truth.jsonl"
OFFENDERS = "offenders.jsonl"


@dataclass(frozen=True, slots=True)
class Monitor:
    """One place at the road side.

    Attributes:
        name: Of letters, digits, `_` and `-`.
        lat: WGS 84, degrees.
        lon: WGS 84, degrees.
        radius_m: How far it receives.
        limit_kmh: Faster vehicles are offenders.
    """

    name: str
    lat: float
    lon: float
    radius_m: float
    limit_kmh: float


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is about.

    Attributes:
        vehicles: Names, in order of appearance.
        monitors: The places.
        start_us: First moment of the trace, microseconds since 1970 UTC.
        end_us: Its last moment.
        samples: How many frames there will be.
    """

    vehicles: tuple[str, ...]
    monitors: tuple[Monitor, ...]
    start_us: int
    end_us: int
    samples: int

    @property
    def duration_s(self) -> float:
        """How long the trace is, seconds."""
        return (self.end_us - self.start_us) / 1e6


def read_plan(folder: Path) -> Plan:
    """Return what `can-sim plan` wrote.

    Args:
        folder: The run folder.

    Raises:
        InputError: There is nothing to play, or nobody to report to.
    """
    vehicles: dict[str, None] = {}
    start = end = ""
    samples = 0
    for end, vehicle, *_ in _rows(folder / TRACE):
        samples += 1
        start = start or end
        vehicles[vehicle] = None
    if not vehicles:
        raise InputError(f"{folder / TRACE}: contains no sample")
    monitors = tuple(Monitor(name, *map(float, rest)) for name, *rest in _rows(folder / MONITORS))
    if not monitors:
        raise InputError(f"{folder / MONITORS}: names no monitor")
    return Plan(tuple(vehicles), monitors, int(start), int(end), samples)


def _rows(path: Path) -> Iterator[list[str]]:
    """Yield the rows under the header."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows, None)
        yield from rows
