"""How long what a replica does with its journal takes in a town."""

import random
from typing import NamedTuple

from support.simulation.timeline import MS

SOON_US = (100, MS)
SLOW_US = (50 * MS, 1_500 * MS)


class Pace(NamedTuple):
    """Ranges of one town, microseconds each way.

    Attributes:
        commit: Of an append: a file in memory, or a disk that is waited for.
        whole: Of reading all that the journal holds, as who takes over does.
    """

    commit: tuple[int, int] = SOON_US
    whole: tuple[int, int] = SOON_US

    @classmethod
    def drawn(cls, rng: random.Random) -> "Pace":
        """Return the pace of a town."""
        commit = rng.choice((SOON_US, (MS, 5 * MS), (MS, 5 * MS)))
        whole = rng.choice((SOON_US, (MS, 20 * MS), (10 * MS, 100 * MS), (50 * MS, 100 * MS)))
        return cls(commit, whole)

    def of(self, what: str, *, slow: bool) -> tuple[int, int]:
        """Return how long one way of a call takes.

        Args:
            what: Name of the function that the journal's thread is to call.
            slow: Whether the place of the journal is slow now.
        """
        if slow:
            return SLOW_US
        return {"append": self.commit, "_restore": self.whole}.get(what, SOON_US)
