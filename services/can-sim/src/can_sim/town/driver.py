"""One driver: trips from crossing to crossing, with a foot of their own."""

from dataclasses import dataclass
from math import pi, sqrt
from random import Random

from can_sim.town.roads import Road, Town

STEP_S = 0.1
SPEEDING_SHARE = 0.4
LAWFUL = (0.85, 1.0)
SPEEDING = (1.15, 1.45)
"""How much of the limit a lawful and a speeding driver aim at."""
ACCELERATION_MPS2 = (1.2, 2.4)
BRAKING_MPS2 = (2.0, 3.2)
CORNER_MPS = 6.0
"""Speed in a right-angled turn."""
TURN_BACK_MPS = 2.0
KMH_PER_MPS = 3.6


@dataclass(frozen=True, slots=True)
class Manner:
    """How somebody drives.

    Attributes:
        zeal: The speed aimed at, as a share of the limit.
        acceleration_mps2: Hardest acceleration.
        braking_mps2: Hardest braking.
    """

    zeal: float
    acceleration_mps2: float
    braking_mps2: float

    @staticmethod
    def drawn(random: Random) -> "Manner":
        """Return a manner by lot: `SPEEDING_SHARE` of the drivers speed."""
        speeding = random.random() < SPEEDING_SHARE
        return Manner(
            random.uniform(*(SPEEDING if speeding else LAWFUL)),
            random.uniform(*ACCELERATION_MPS2),
            random.uniform(*BRAKING_MPS2),
        )


class Driver:
    """Drives through a town without end.

    Args:
        town: The roads.
        random: Decides manner, start and aims.
    """

    def __init__(self, town: Town, random: Random) -> None:
        self._town = town
        self._random = random
        self.manner = Manner.drawn(random)
        self._way = town.route(*random.sample(range(len(town.places)), 2))
        self._along_m = random.uniform(0.0, self._way[0].length_m)
        self._speed_mps = 0.0
        self._speed_mps = min(self._aim_mps(), self._brakeable_mps())

    @property
    def speed_kmh(self) -> float:
        """Speed now, km/h."""
        return self._speed_mps * KMH_PER_MPS

    @property
    def road(self) -> Road:
        """The road that the vehicle is on."""
        return self._way[0]

    def position(self) -> tuple[float, float]:
        """Return latitude and longitude now, degrees."""
        return self._town.position(self._way[0], self._along_m)

    def advance(self, seconds: float) -> None:
        """Drive on for a while; in steps of `STEP_S`."""
        for _ in range(round(seconds / STEP_S)):
            self._step()

    def _step(self) -> None:
        goal = min(self._aim_mps(), self._brakeable_mps())
        change = goal - self._speed_mps
        most, least = (
            self.manner.acceleration_mps2 * STEP_S,
            -1.5 * self.manner.braking_mps2 * STEP_S,
        )
        self._speed_mps = max(0.5, self._speed_mps + max(least, min(most, change)))
        self._along_m += self._speed_mps * STEP_S
        while self._along_m >= self._way[0].length_m:
            self._along_m -= self._way[0].length_m
            self._enter_next_road()

    def _enter_next_road(self) -> None:
        self._look_ahead()
        del self._way[0]

    def _look_ahead(self) -> None:
        """Plan the next trip while on the last road of this one."""
        if len(self._way) == 1:
            here = self._way[0].end
            others = [node for node in range(len(self._town.places)) if node != here]
            self._way.extend(self._town.route(here, self._random.choice(others)))

    def _aim_mps(self) -> float:
        return self._way[0].limit_kmh * self.manner.zeal / KMH_PER_MPS

    def _brakeable_mps(self) -> float:
        """Return the speed from which the next corner can still be accepted."""
        self._look_ahead()
        turn = self._town.turn(self._way[0], self._way[1])
        left_m = self._way[0].length_m - self._along_m
        corner = self._corner_mps(turn)
        return sqrt(corner * corner + 2 * self.manner.braking_mps2 * left_m)

    def _corner_mps(self, turn: float) -> float:
        ahead = self._way[1].limit_kmh * self.manner.zeal / KMH_PER_MPS
        if turn < pi / 6:
            return ahead
        return min(ahead, TURN_BACK_MPS if turn > 3 * pi / 4 else CORNER_MPS)
