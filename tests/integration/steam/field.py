"""A field of moving nodes, and by geometry alone who must hear what there.

It shares nothing with the code under test: positions, distances and areas are computed anew.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import asin, cos, pi, radians, sin, sqrt
from pathlib import Path
from random import Random

RADIUS_M = 6_371_008.8
METRES_PER_DEGREE = RADIUS_M * pi / 180
SECOND_US = 1_000_000
CORNER = (50.0, 11.0)

Place = tuple[float, float]
"""Latitude and longitude, degrees."""


@dataclass(frozen=True)
class Area:
    """A proximity: `circle` with a radius or `rectangle` with two extents, in metres."""

    shape: str
    relative: bool
    lat: float
    lon: float
    extents_m: tuple[float, ...]

    @property
    def text(self) -> str:
        head = f"{int(self.shape == 'rectangle')},{int(self.relative)},{self.lat!r},{self.lon!r}"
        return ",".join([head, *map(repr, self.extents_m)])

    def holds(self, producer: Place, here: Place) -> bool:
        lat, lon = self.lat, self.lon
        if self.relative:
            lat, lon = producer[0] + lat, producer[1] + lon
        if self.shape == "circle":
            return haversine_m((lat, lon), here) <= self.extents_m[0]
        across_m = abs(here[1] - lon) * METRES_PER_DEGREE * cos(radians(lat))
        along_m = abs(here[0] - lat) * METRES_PER_DEGREE
        return across_m <= self.extents_m[0] / 2 and along_m <= self.extents_m[1] / 2


@dataclass(frozen=True)
class Said:
    """One event: who said it, when, of what subject, with which rate, for which area."""

    number: int
    node: int
    time_us: int
    subject: str
    rate: float
    area: Area


@dataclass(frozen=True)
class Wish:
    """A subscription of a node, from a second on until before another."""

    node: int
    subject: str
    above: float | None
    first: int
    end: int

    def holds_at(self, time_us: int) -> bool:
        return self.first * SECOND_US <= time_us < self.end * SECOND_US

    def accepts(self, said: Said) -> bool:
        return self.above is None or said.rate > self.above


@dataclass
class Truth:
    """What must be heard: (receiver, number of the event); and what only filters kept away."""

    heard: set[tuple[int, int]] = field(default_factory=set)
    filtered: int = 0
    broadcast: int = 0


def haversine_m(a: Place, b: Place) -> float:
    north, east = radians(b[0] - a[0]) / 2, radians(b[1] - a[1]) / 2
    inner = sin(north) ** 2 + cos(radians(a[0])) * cos(radians(b[0])) * sin(east) ** 2
    return 2 * RADIUS_M * asin(sqrt(inner))


class Field:
    """Nodes that drive about a square and turn back at its border.

    Args:
        nodes: How many.
        side_m: Edge of the square.
        seconds: For how long.
        fastest_mps: No node is faster.
    """

    def __init__(self, nodes: int, side_m: float, seconds: int, fastest_mps: float) -> None:
        self.nodes, self.seconds, self.side_m = nodes, seconds, side_m
        random = Random(f"{nodes} nodes")
        self.tracks = [self._track(random, fastest_mps) for _ in range(nodes)]

    def _track(self, random: Random, fastest_mps: float) -> list[Place]:
        x, y = random.uniform(0, self.side_m), random.uniform(0, self.side_m)
        most = fastest_mps / sqrt(2)
        east, north = random.uniform(-most, most), random.uniform(-most, most)
        track = []
        for _ in range(self.seconds + 1):
            track.append(self.place(x, y))
            east = -east if not 0 <= x + east <= self.side_m else east
            north = -north if not 0 <= y + north <= self.side_m else north
            x, y = x + east, y + north
        return track

    def place(self, x_m: float, y_m: float) -> Place:
        across = METRES_PER_DEGREE * cos(radians(CORNER[0] + 0.05))
        return CORNER[0] + y_m / METRES_PER_DEGREE, CORNER[1] + x_m / across

    def write(self, path: Path) -> None:
        rows = [
            f"{second * SECOND_US},{name(node)},{lat!r},{lon!r}"
            for second in range(self.seconds + 1)
            for node in range(self.nodes)
            for lat, lon in [self.tracks[node][second]]
        ]
        path.write_text("\n".join(["time_us,vehicle,lat,lon", *rows, ""]))

    def places_at(self, time_us: int) -> list[Place]:
        second, rest = divmod(time_us, SECOND_US)
        if rest == 0:
            return [track[second] for track in self.tracks]
        share = rest / SECOND_US
        pairs = ((track[second], track[second + 1]) for track in self.tracks)
        return [(a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share) for a, b in pairs]


def truth(land: Field, said: list[Said], wishes: list[Wish], range_m: float) -> Truth:
    """Return what all nodes must hear, each with the same radio range."""
    found = Truth()
    by_time: dict[int, list[Said]] = {}
    for one in said:
        by_time.setdefault(one.time_us, []).append(one)
    for time_us, group in by_time.items():
        wanted: dict[str, dict[int, list[Wish]]] = {}
        for wish in wishes:
            if wish.holds_at(time_us):
                wanted.setdefault(wish.subject, {}).setdefault(wish.node, []).append(wish)
        places = land.places_at(time_us)
        order = sorted((place[0], node) for node, place in enumerate(places))
        for one in group:
            takers = wanted.get(one.subject, {})
            found.broadcast += len(takers) - (one.node in takers)
            for node in _near(order, places, one, range_m):
                if node in takers and one.area.holds(places[one.node], places[node]):
                    _judge(found, one, node, takers[node])
    return found


def _judge(found: Truth, said: Said, node: int, wishes: list[Wish]) -> None:
    if any(wish.accepts(said) for wish in wishes):
        found.heard.add((node, said.number))
    else:
        found.filtered += 1


def _near(
    order: list[tuple[float, int]], places: list[Place], said: Said, range_m: float
) -> Iterator[int]:
    """Yield the nodes within range, but look only at those within it in latitude and longitude."""
    here = places[said.node]
    reach_deg = 1.01 * range_m / METRES_PER_DEGREE
    across_deg = reach_deg / cos(radians(here[0] + reach_deg))
    first = bisect_left(order, (here[0] - reach_deg, -1))
    end = bisect_right(order, (here[0] + reach_deg, len(places)))
    for _, node in order[first:end]:
        if node == said.node or abs(places[node][1] - here[1]) > across_deg:
            continue
        if haversine_m(here, places[node]) <= range_m:
            yield node


def name(node: int) -> str:
    return f"n{node}"
