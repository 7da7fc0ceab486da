"""Whether a run can have so many monitors, and which of them the trace passes."""

from collections import defaultdict
from collections.abc import Sequence
from math import cos, floor, radians

from can_sim.errors import InputError
from can_sim.geometry import EARTH_RADIUS_M, distance_m
from can_sim.monitors import Monitor
from can_sim.sample import Sample

MAX_MONITORS = 1_000
"""Most monitors of a run: each is a gateway with two adapters in its federation file."""
SHOWN = 10
_CELL_DEGREES = 0.01
_SEEN_DEGREES = 1e-4
"""Samples within one cell of this edge (11 m) represent each other."""


def check_count(monitors: Sequence[Monitor], samples: Sequence[Sample], file: str) -> None:
    """Refuse more monitors than a run can have, and tell which of them to keep.

    Raises:
        InputError: There are more than `MAX_MONITORS`.
    """
    if len(monitors) <= MAX_MONITORS:
        return
    close = near(monitors, samples)
    names = ", ".join(monitor.name for monitor in close[:SHOWN])
    more = f" and {len(close) - SHOWN} more" if len(close) > SHOWN else ""
    told = f"keep those that the trace passes, {len(close)}: {names}{more}"
    raise InputError(
        f"names {len(monitors)} monitors, more than {MAX_MONITORS} that a run can have; "
        + (told if close else "the trace passes none of them"),
        file,
    )


def near(monitors: Sequence[Monitor], samples: Sequence[Sample]) -> list[Monitor]:
    """Return the monitors within whose radius a trace has a sample, in their order."""
    cells: defaultdict[tuple[int, int], dict[tuple[int, int], tuple[float, float]]]
    cells = defaultdict(dict)
    for sample in samples:
        fine = (floor(sample.lat / _SEEN_DEGREES), floor(sample.lon / _SEEN_DEGREES))
        cells[_cell(sample.lat, sample.lon)].setdefault(fine, (sample.lat, sample.lon))
    found = []
    for monitor in monitors:
        places = (place for cell in _around(monitor) for place in cells.get(cell, {}).values())
        reach_m = monitor.radius_m + _SEEN_DEGREES * radians(1) * EARTH_RADIUS_M
        if any(distance_m(monitor.lat, monitor.lon, *place) <= reach_m for place in places):
            found.append(monitor)
    return found


def _cell(lat: float, lon: float) -> tuple[int, int]:
    return floor(lat / _CELL_DEGREES), floor(lon / _CELL_DEGREES)


def _around(monitor: Monitor) -> list[tuple[int, int]]:
    """Return the cells that may contain what a monitor reaches; at most 21 by 21."""
    lat_reach = monitor.radius_m / (radians(1) * EARTH_RADIUS_M)
    lon_reach = lat_reach / max(cos(radians(monitor.lat)), 0.01)
    north, east = _cell(monitor.lat, monitor.lon)
    rows = min(floor(lat_reach / _CELL_DEGREES) + 1, 10)
    columns = min(floor(lon_reach / _CELL_DEGREES) + 1, 10)
    return [
        (north + i, east + j) for i in range(-rows, rows + 1) for j in range(-columns, columns + 1)
    ]
