"""Nodes on the air that move: who is in range of whom changes as they pass one another."""

import random
from dataclasses import dataclass
from itertools import combinations

from support.simulation.timeline import MS
from support.simulation.world import World

STEP_US = 200 * MS
ROAD_M = 120.0
"""Length of the road; who comes to its end turns round."""


@dataclass
class _Node:
    place_m: float
    speed_mps: float

    def move(self) -> None:
        self.place_m += self.speed_mps * STEP_US / 1e6
        if not 0 <= self.place_m <= ROAD_M:
            self.speed_mps = -self.speed_mps
            self.place_m = min(max(self.place_m, 0.0), ROAD_M)


class Moving:
    """Moves the access points of a world's medium for some time; in the end all are in range.

    Args:
        world: The world.
        rng: Decides where they are, how fast, and how much of what is said is lost.
        reach_m: Range of the radio.
    """

    def __init__(self, world: World, rng: random.Random, reach_m: float = 45.0) -> None:
        self._world = world
        self._reach_m = reach_m
        self._loss = rng.choice((0.0, 0.1, 0.3))
        self._nodes = {
            name: _Node(
                rng.uniform(0, ROAD_M),
                rng.choice((-1, 1)) * rng.uniform(8, 40) if name.startswith("av") else 0.0,
            )
            for name in world.topology.air
        }

    def begin(self, to_us: int) -> None:
        """Move until some time after the start."""
        self._world.air_loss = self._loss
        self._step(to_us)

    def _step(self, to_us: int) -> None:
        world = self._world
        if world.now_us - world.start_us >= to_us:
            world.apart.clear()
            world.air_loss = 0.0
            return
        for node in self._nodes.values():
            node.move()
        apart = {
            frozenset((one, other))
            for one, other in combinations(self._nodes, 2)
            if abs(self._nodes[one].place_m - self._nodes[other].place_m) > self._reach_m
        }
        world.faults["moved out of range"] += len(apart - world.apart)
        world.apart = apart
        world.at(STEP_US, lambda: self._step(to_us))
