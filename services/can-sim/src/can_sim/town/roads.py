"""The town's roads: a bent grid with a main street, a high street, a ring and side streets."""

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from math import atan2, hypot, pi
from random import Random

from can_sim.geometry import FlatMap

GROUND = FlatMap(54.6, 7.1)
"""Where the town would be: in the North Sea, so that nobody mistakes it for a real one."""

COLUMNS = 5
ROWS = 5
BLOCK_M = 210.0
BEND_M = 25.0
RING_KMH = 70.0
MAIN_KMH = 50.0
SIDE_KMH = 30.0

Node = int


@dataclass(frozen=True, slots=True)
class Road:
    """A straight road from one crossing to the next.

    Attributes:
        start: Crossing where it begins.
        end: Crossing where it ends.
        length_m: Its length.
        limit_kmh: Its speed limit.
    """

    start: Node
    end: Node
    length_m: float
    limit_kmh: float


class Town:
    """The crossings and the roads between them, the same for the same seed.

    Args:
        seed: Bends the grid.
    """

    def __init__(self, seed: int) -> None:
        random = Random(f"town/{seed}")
        self.places = [
            (
                (column - (COLUMNS - 1) / 2) * BLOCK_M + random.uniform(-BEND_M, BEND_M),
                (row - (ROWS - 1) / 2) * BLOCK_M + random.uniform(-BEND_M, BEND_M),
            )
            for row in range(ROWS)
            for column in range(COLUMNS)
        ]
        self.roads: dict[Node, list[Road]] = {node: [] for node in range(len(self.places))}
        for start, end in _neighbours():
            self.roads[start].append(self._road(start, end))

    def route(self, start: Node, end: Node) -> list[Road]:
        """Return the quickest way at the limits; empty where `start` is `end`.

        Source:
            Dijkstra (1959).
        """
        best: dict[Node, tuple[float, Road | None]] = {start: (0.0, None)}
        queue = [(0.0, start)]
        while queue:
            spent, node = heappop(queue)
            if node == end:
                break
            for road in self.roads[node]:
                arrival = spent + road.length_m / road.limit_kmh
                if road.end not in best or arrival < best[road.end][0]:
                    best[road.end] = (arrival, road)
                    heappush(queue, (arrival, road.end))
        return _traced(best, end)

    def position(self, road: Road, along_m: float) -> tuple[float, float]:
        """Return the latitude and longitude `along_m` metres from a road's start, degrees."""
        (east_a, north_a), (east_b, north_b) = self.places[road.start], self.places[road.end]
        share = along_m / road.length_m
        return GROUND.position(
            east_a + (east_b - east_a) * share, north_a + (north_b - north_a) * share
        )

    def turn(self, road: Road, following: Road) -> float:
        """Return by how much a vehicle turns from one road into the next, radians, 0..pi."""
        difference = self._heading(following) - self._heading(road)
        return abs((difference + pi) % (2 * pi) - pi)

    def _heading(self, road: Road) -> float:
        (east_a, north_a), (east_b, north_b) = self.places[road.start], self.places[road.end]
        return atan2(north_b - north_a, east_b - east_a)

    def _road(self, start: Node, end: Node) -> Road:
        (east_a, north_a), (east_b, north_b) = self.places[start], self.places[end]
        return Road(start, end, hypot(east_b - east_a, north_b - north_a), _limit_kmh(start, end))


def _neighbours() -> Iterator[tuple[Node, Node]]:
    for node in range(ROWS * COLUMNS):
        if node % COLUMNS < COLUMNS - 1:
            yield from ((node, node + 1), (node + 1, node))
        if node + COLUMNS < ROWS * COLUMNS:
            yield from ((node, node + COLUMNS), (node + COLUMNS, node))


def _limit_kmh(start: Node, end: Node) -> float:
    (row, column), along_row = divmod(start, COLUMNS), start // COLUMNS == end // COLUMNS
    line, last = (row, ROWS - 1) if along_row else (column, COLUMNS - 1)
    if line in (0, last):
        return RING_KMH
    return MAIN_KMH if line == last // 2 else SIDE_KMH


def _traced(best: dict[Node, tuple[float, Road | None]], end: Node) -> list[Road]:
    way: list[Road] = []
    road = best[end][1]
    while road is not None:
        way.append(road)
        road = best[road.start][1]
    return way[::-1]
