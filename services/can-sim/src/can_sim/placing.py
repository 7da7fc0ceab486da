"""Monitors placed along a trace, where vehicles pass.

The first two overlap and have different limits, so that one event may be both an offence and none.
The others stand apart. A limit is near the median speed in its range, so that some exceed it.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, hypot
from statistics import quantiles

from can_sim.geometry import FlatMap, distance_m
from can_sim.monitors import DEFAULT_RADIUS_M, Monitor
from can_sim.sample import Sample

MOVING_KMH = 10.0
"""Slower vehicles count as standing, so that a stop is not treated as a busy road."""
MIN_LIMIT_KMH = 5.0
CELL_SHARE = 0.5
"""Edge of the cells in which places are sought, as a share of the radius."""
APART = 2.0
"""Least distance between separate monitors, in radii."""
OVERLAP = (0.5, 1.5)
"""Distance between the two that overlap, in radii."""
LIMIT_STEP_KMH = 10.0

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Place:
    east_m: float
    north_m: float

    def distance_m(self, other: "_Place") -> float:
        return hypot(self.east_m - other.east_m, self.north_m - other.north_m)


def place_monitors(
    samples: Sequence[Sample], count: int, radius_m: float = DEFAULT_RADIUS_M
) -> list[Monitor]:
    """Return monitors along a trace; the same for the same trace.

    Args:
        samples: The trace.
        count: How many are requested; fewer where the trace is too short, none where it is empty.
        radius_m: How far each receives, metres.
    """
    if not samples or count < 1:
        return []
    ground = FlatMap(samples[0].lat, samples[0].lon)
    busy = _busy_places(samples, ground, radius_m * CELL_SHARE)
    places = _choose(busy, count, radius_m)
    monitors: list[Monitor] = []
    for index, place in enumerate(places):
        lat, lon = (round(degrees, 6) for degrees in ground.position(place.east_m, place.north_m))
        limit = _limit_kmh(samples, lat, lon, radius_m)
        if index == 1:  # the one that overlaps the first
            limit = _other_limit(limit, monitors[0].limit_kmh)
        monitors.append(Monitor(f"M{index + 1:02d}", lat, lon, radius_m, limit))
    return monitors


def _busy_places(samples: Sequence[Sample], ground: FlatMap, edge_m: float) -> list[_Place]:
    """Return the middle of each cell's samples, the busiest cell first."""
    moving = [sample for sample in samples if abs(sample.speed_kmh) >= MOVING_KMH] or samples
    count: Counter[Cell] = Counter()
    east_sum: defaultdict[Cell, float] = defaultdict(float)
    north_sum: defaultdict[Cell, float] = defaultdict(float)
    for sample in moving:
        east, north = ground.metres(sample.lat, sample.lon)
        cell = (floor(east / edge_m), floor(north / edge_m))
        count[cell] += 1
        east_sum[cell] += east
        north_sum[cell] += north
    ranked = sorted(count, key=lambda cell: (-_around(count, cell), cell))
    return [_Place(east_sum[cell] / count[cell], north_sum[cell] / count[cell]) for cell in ranked]


def _around(count: Counter[Cell], cell: Cell) -> int:
    """Return the samples of a cell and its neighbours, about those in a monitor's range."""
    east, north = cell
    return sum(count[(east + i, north + j)] for i in (-1, 0, 1) for j in (-1, 0, 1))


def _choose(busy: Sequence[_Place], count: int, radius_m: float) -> list[_Place]:
    chosen = [busy[0]]
    near, far = (share * radius_m for share in OVERLAP)
    beside = next((place for place in busy if near <= place.distance_m(chosen[0]) <= far), None)
    if beside is not None and count > 1:
        chosen.append(beside)
    for apart_m in (APART * radius_m, radius_m, radius_m / 2):
        for place in busy:
            if len(chosen) < count and all(p.distance_m(place) >= apart_m for p in chosen):
                chosen.append(place)
    return chosen


def _limit_kmh(samples: Sequence[Sample], lat: float, lon: float, radius_m: float) -> float:
    near = [
        sample.speed_kmh
        for sample in samples
        if distance_m(lat, lon, sample.lat, sample.lon) <= radius_m
    ]
    speeds = [speed for speed in near if speed >= MOVING_KMH] or near
    median = quantiles(speeds, n=2)[0] if len(speeds) > 1 else sum(speeds)
    return max(MIN_LIMIT_KMH, float(floor(median)))


def _other_limit(limit: float, first: float) -> float:
    if abs(limit - first) >= LIMIT_STEP_KMH / 2:
        return limit
    return (
        first - LIMIT_STEP_KMH if first > LIMIT_STEP_KMH + MIN_LIMIT_KMH else first + MIN_LIMIT_KMH
    )
