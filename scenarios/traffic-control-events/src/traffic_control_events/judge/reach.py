"""How far what was on the air reached."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from traffic_control_events.judge.ground import EDGE_M, Ground
from traffic_control_events.judge.records import Copy
from traffic_control_events.judge.rows import Due

Hearing = Mapping[str, frozenset[str]]
"""Identity of an event to the monitors that receive it."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Which monitors receive each event, from where the vehicle was when it was on the air.

    Attributes:
        certain: Those that must; an event that was not seen on the air has no entry.
        possible: Those that may.
    """

    certain: Hearing
    possible: Hearing

    @classmethod
    def of(cls, ground: Ground, crossed: Sequence[Copy]) -> "Reach":
        """Return how far copies on the air reached; of several of one event, the first."""
        spoken_us = {copy.id: copy.time_us for copy in reversed(crossed)}
        return cls(
            {id_: ground.hearing(time_us, -EDGE_M) for id_, time_us in spoken_us.items()},
            {id_: ground.hearing(time_us, EDGE_M) for id_, time_us in spoken_us.items()},
        )

    @property
    def speaking(self) -> frozenset[str]:
        """The monitors that received anything."""
        return frozenset(name for monitors in self.certain.values() for name in monitors)

    def due(self, said: Iterable[str]) -> Due:
        """Return which of some events get into the city.

        Where the native observer did not see an event on the air, either is right.
        """
        identities = frozenset(said)
        must = frozenset(id_ for id_ in identities if self.certain.get(id_))
        out = frozenset(id_ for id_ in identities if self.possible.get(id_) == frozenset())
        return Due(must, identities - out)

    def second_copies(self) -> tuple[int, int]:
        """Return how many copies beyond the first come of several monitors: at least, at most."""
        return _beyond_first(self.certain), _beyond_first(self.possible)


def _beyond_first(hearing: Hearing) -> int:
    return sum(len(monitors) - 1 for monitors in hearing.values() if monitors)
