"""Plans a run.

Where the vehicle drives, what it publishes, where the monitors are, and the file.
"""

import csv
import json
import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from fes.federation import dump, load
from fes.federation.model import Clock
from msgspec.structs import replace
from scenario_kit.run_folder import FEDERATION

from traffic_control_events.road import Moment, drive, place
from traffic_control_events.story import (
    BRAKE,
    DRIVE,
    MONITORS,
    PLACES,
    RANGE_M,
    SCRIPT,
    SPEED,
    START_US,
    TRACE,
    VEHICLE,
)

PARKED_US = 3_600_000_000
"""How long the vehicle is before it sets off, and after it has come home, in the trace."""

STARTING_S = 120
"""So long after the clock, at most, its publisher begins to publish; wall clock. The vehicle drives
meanwhile, so that a slow start of a part changes nothing but where that is."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to plan.

    Attributes:
        seconds: How long the vehicle reports its speed, once a second of its own clock.
        speed: Seconds of the drive in a second of the wall clock.
        seed: Of what is by chance.
        federation: A federation file; the story's own where None.
    """

    seconds: int
    speed: float
    seed: int = 1
    federation: Path | None = None


def plan(folder: Path, wanted: Wanted) -> None:
    """Write everything that a run needs.

    Args:
        folder: The run folder.
        wanted: What to plan.

    Raises:
        FederationError: The federation file is not valid.
    """
    lasts_s = wanted.seconds + math.ceil(STARTING_S * wanted.speed)
    moments = list(drive(lasts_s, wanted.seed))
    _write(folder / TRACE, ("time_us", "vehicle", "lat", "lon"), _track(moments))
    _write(folder / SCRIPT, ("time_us", "subject", "license_no", "rate"), _script(moments))
    _write(folder / PLACES, ("monitor", "lat", "lon", "range_m"), _places())
    (folder / DRIVE).write_text(json.dumps({"seconds": wanted.seconds}) + "\n", "utf-8")
    (folder / FEDERATION).write_text(_federation(wanted), "utf-8")


def own_federation() -> Path:
    """Return the story's own federation file."""
    return Path(str(files("traffic_control_events") / FEDERATION))


def _federation(wanted: Wanted) -> str:
    """Return the federation, with the clock of the run."""
    federation = load(wanted.federation or own_federation(), os.environ)
    clock = Clock(start=START_US / 1e6, speed=wanted.speed)
    return dump(replace(federation, clock=clock))


def _track(moments: Sequence[Moment]) -> Iterable[tuple[object, ...]]:
    first, last = moments[0], moments[-1]
    stops = [(first.time_us - PARKED_US, first.along_m)]
    stops += [(moment.time_us, moment.along_m) for moment in moments]
    stops.append((last.time_us + PARKED_US, last.along_m))
    return ((time_us, VEHICLE, *place(along_m)) for time_us, along_m in stops)


def _script(moments: Sequence[Moment]) -> Iterable[tuple[object, ...]]:
    for moment in moments:
        yield moment.time_us, SPEED, VEHICLE, moment.rate_mph
        if moment.brakes:
            yield moment.time_us, BRAKE, VEHICLE, ""


def _places() -> Iterable[tuple[object, ...]]:
    return ((name, *place(along_m), RANGE_M) for name, along_m in MONITORS.items())


def _write(path: Path, header: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
