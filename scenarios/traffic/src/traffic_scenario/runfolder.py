"""The folder of a run: what `can-sim plan` wrote there, and where the rest goes."""

import csv
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from traffic_scenario.errors import InputError

TRACE = "trace.csv"
MONITORS = "monitors.csv"
FEDERATION = "federation.yaml"
GROUND_TRUTH = "ground_truth.jsonl"
OFFENDERS = "offenders.jsonl"

_NAME = re.compile(r"(\d{8}-\d{6})(?:-(\d+))?")


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


def make_folder(runs: Path) -> Path:
    """Return a new folder, named by the date and time.

    Args:
        runs: Folder of all runs; made where absent.
    """
    name = time.strftime("%Y%m%d-%H%M%S")
    runs.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        folder = runs / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            number += 1
        else:
            return folder


def remove_oldest(runs: Path, keep: int) -> tuple[Path, ...]:
    """Remove all but the newest runs; return the folders that went.

    Args:
        runs: Folder of all runs; what is not named as a run is left alone.
        keep: Runs that stay, at least 1.
    """
    found = [(match, path) for path in runs.iterdir() if (match := _NAME.fullmatch(path.name))]
    found.sort(key=lambda each: (each[0][1], int(each[0][2] or 1)))
    old = tuple(path for _, path in found[: -max(1, keep)])
    for path in old:
        shutil.rmtree(path)
    return old


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
    for samples, (end, vehicle, *_) in enumerate(_rows(folder / TRACE), 1):  # noqa: B007 - the last
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
