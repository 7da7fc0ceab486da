"""The files of a run folder that can-sim writes and reads: `trace.csv` and `monitors.csv`."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from serving.files import whole_file

from can_sim.errors import InputError
from can_sim.moment import MAX_US
from can_sim.monitors import Monitor
from can_sim.names import LICENCE_LENGTH
from can_sim.opening import open_bytes
from can_sim.sample import Sample
from can_sim.table import Row, Table

TRACE = "trace.csv"
MONITORS = "monitors.csv"
GROUND_TRUTH = "ground_truth.jsonl"
TRACE_COLUMNS = ("time_us", "vehicle", "licence", "lat", "lon", "speed_kmh")
MONITOR_COLUMNS = ("monitor", "lat", "lon", "radius_m", "limit_kmh")
TIME_CHARACTERS = 20
"""Most characters of a time."""


class Planned(NamedTuple):
    """One row of `trace.csv`: what a vehicle does, and the licence that its frames carry."""

    time_us: int
    vehicle: str
    licence: str
    lat: float
    lon: float
    speed_kmh: float


@dataclass(frozen=True, slots=True)
class Extent:
    """What a trace spans.

    Attributes:
        start_us: Its first moment.
        end_us: Its last moment.
        vehicles: Names, in order of appearance.
        rows: How many.
    """

    start_us: int
    end_us: int
    vehicles: tuple[str, ...]
    rows: int


def write_trace(
    folder: Path,
    samples: Iterable[Sample],
    licences: Mapping[str, str],
    identifiers: Mapping[str, str],
) -> None:
    """Write `trace.csv`, whole or not at all.

    Args:
        folder: The run folder; made if absent.
        samples: By time.
        licences: Licence by vehicle.
        identifiers: What represents each vehicle's name.
    """
    _write(
        folder / TRACE,
        TRACE_COLUMNS,
        (
            (s.time_us, identifiers[s.vehicle], licences[s.vehicle], s.lat, s.lon, s.speed_kmh)
            for s in samples
        ),
    )


def write_monitors(folder: Path, monitors: Iterable[Monitor]) -> None:
    """Write `monitors.csv`, whole or not at all."""
    _write(
        folder / MONITORS,
        MONITOR_COLUMNS,
        ((m.name, m.lat, m.lon, m.radius_m, m.limit_kmh) for m in monitors),
    )


def read_trace(folder: Path) -> Iterator[Planned]:
    """Yield the rows of `trace.csv`.

    Raises:
        InputError: The file is absent or a row is not valid; rows must be in order of time.
    """
    path = folder / TRACE
    last: int | None = None
    with open_bytes(path) as stream:
        table = Table(path, stream)
        for column in TRACE_COLUMNS:
            table.need([column])
        for row in table.rows():
            planned = _planned(row)
            if last is not None and planned.time_us < last:
                raise row.error("time_us", "is earlier than in the row before")
            last = planned.time_us
            yield planned


def survey(folder: Path) -> Extent:
    """Return what `trace.csv` spans, having checked every row.

    Raises:
        InputError: As `read_trace`; or there are no rows.
    """
    vehicles: dict[str, None] = {}
    start = end = rows = 0
    for planned in read_trace(folder):
        start = planned.time_us if rows == 0 else start
        end = planned.time_us
        vehicles[planned.vehicle] = None
        rows += 1
    if not rows:
        raise InputError("holds no rows", str(folder / TRACE))
    return Extent(start, end, tuple(vehicles), rows)


def _planned(row: Row) -> Planned:
    time = row.text("time_us")
    is_whole = len(time) <= TIME_CHARACTERS and time.removeprefix("-").isdecimal()
    if not is_whole or abs(int(time)) > MAX_US:
        raise row.error("time_us", f"{time[:40]!r} is not a whole number of microseconds")
    licence = row.cells.get("licence", "")
    if len(licence) != LICENCE_LENGTH or not (licence.isascii() and licence.isprintable()):
        raise row.error("licence", f"{licence[:20]!r} is not seven printable ASCII characters")
    return Planned(
        int(time),
        row.text("vehicle"),
        licence,
        row.number("lat", -90, 90),
        row.number("lon", -180, 180),
        row.number("speed_kmh"),
    )


def _write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path, newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
