"""Monitors: places at the road side with a range and a speed limit."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from can_sim.errors import InputError
from can_sim.names import identifiers
from can_sim.sources.csv_trace import places_of
from can_sim.table import Row, Table, read_table
from can_sim.tally import Tally

DEFAULT_RADIUS_M = 150.0
DEFAULT_LIMIT_KMH = 30.0
NAMES = (
    "monitor",
    "monitor_id",
    "name",
    "stop_id",
    "stop_code",
    "stop_name",
    "id",
    "site",
    "station",
    "stop",
)
RADII = ("radius_m", "range_m", "radius")
LIMITS = ("limit_kmh", "limit", "maxspeed")


@dataclass(frozen=True, slots=True)
class Monitor:
    """One place.

    Attributes:
        name: Of letters, digits, `_` and `-`; unique in its run.
        lat: Latitude, WGS 84 degrees.
        lon: Longitude, WGS 84 degrees.
        radius_m: How far it receives, metres.
        limit_kmh: Faster vehicles are offenders, km/h.
    """

    name: str
    lat: float
    lon: float
    radius_m: float = DEFAULT_RADIUS_M
    limit_kmh: float = DEFAULT_LIMIT_KMH


def read(path: Path, tally: Tally) -> list[Monitor]:
    """Return the monitors in a CSV file, in its order.

    Positions are in `lat` and `lon`, or in `y` and `x`. Radius and limit have defaults. Of two
    rows with one name the first is kept.

    Args:
        path: The file.
        tally: Counts bad rows.

    Raises:
        InputError: The file cannot be read, a column is missing, or a row is bad and `tally`
            strict; or no monitor is left.
    """
    rows = read_table(path, tally, _reader)
    first: dict[str, Monitor] = {}
    for monitor, row in rows:
        if monitor.name in first:
            tally.bad("bad_row", row.error("name", f"{monitor.name!r} is there twice"))
            tally.take(-1)
        else:
            first[monitor.name] = monitor
    if not first:
        raise InputError(f"names no monitor; {tally.explain()}", str(path))
    safe = identifiers(first, "monitor")
    return [replace(monitor, name=safe[name]) for name, monitor in first.items()]


def _reader(table: Table) -> Callable[[Row], tuple[Monitor, Row]]:
    name = table.need(NAMES)
    lat, lon = places_of(table)
    radius, limit = table.find(RADII), table.find(LIMITS)

    def read_row(row: Row) -> tuple[Monitor, Row]:
        monitor = Monitor(
            row.text(name),
            *row.place(lat, lon),
            row.number(radius, 1, 100_000) if radius else DEFAULT_RADIUS_M,
            row.number(limit, 0, 10_000) if limit else DEFAULT_LIMIT_KMH,
        )
        return monitor, row

    return read_row
