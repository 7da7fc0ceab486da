"""What goes wrong: what is killed, stopped or made to halt, in which order. No I/O."""

import random
from collections.abc import Callable, Sequence
from enum import StrEnum
from itertools import permutations
from typing import Final, NamedTuple, TypeVar

Item = TypeVar("Item")


class How(StrEnum):
    """What becomes of a part."""

    KILLED = "killed"
    """SIGKILL."""
    STOPPED = "stopped"
    """SIGTERM, as a rolling update does it; it is started again."""
    STOOD_STILL = "stood still"
    """SIGSTOP, and SIGCONT after `STILL_S`: another leads by then, and it lives on."""


STILL_S: Final = 4.0


class Kill(NamedTuple):
    """What goes wrong at one moment.

    Attributes:
        parts: Parts of which this becomes; where it befalls a leader, the gateways whose leaders
            they are.
        how: What becomes of them.
    """

    parts: tuple[str, ...]
    how: How = How.KILLED

    @property
    def of_leader(self) -> bool:
        """Whether it befalls whichever replica leads at that moment."""
        return self.how is not How.KILLED


ORDERED: Final = 3
"""Most members that are killed in every order; four would already need 33 kills."""

TOGETHER: Final = 3
"""Most parts that are killed at the same moment."""


LEADERS: Final = (How.STOOD_STILL, How.STOPPED)
"""What happens to the leader of each gateway that has replicas, among the first kills."""

OF_LEADER: Final = 0.4
"""Share of the last kills that befall a leader, where there are replicas."""


def schedule(
    parts: Sequence[str],
    ordered: Sequence[str],
    count: int,
    seed: int,
    replicated: Sequence[str] = (),
) -> list[Kill]:
    """Return what goes wrong, one after the other.

    First each part is killed once, and each leader stopped and made to halt once, then
    `ordered` are killed in every order, then some at a time, by chance. A shorter schedule has the
    beginning of that.

    Args:
        parts: All that may be killed: brokers, gateways, adapters, and replicas where there are.
        ordered: Those that are killed in every order; at most `ORDERED`.
        count: How many kills.
        seed: Of chance.
        replicated: Gateways that have several replicas.
    """
    chance = random.Random(seed)
    kills = [Kill((part,)) for part in parts]
    kills += [Kill((gateway,), how) for gateway in replicated for how in LEADERS]
    chance.shuffle(kills)
    kills += [Kill((part,)) for part in every_order(ordered[:ORDERED])]
    while len(kills) < count:
        kills.append(_by_chance(parts, replicated, chance))
    return kills[:count]


def _by_chance(parts: Sequence[str], replicated: Sequence[str], chance: random.Random) -> Kill:
    if replicated and chance.random() < OF_LEADER:
        return Kill((chance.choice(list(replicated)),), chance.choice(LEADERS))
    together = min(chance.randint(1, TOGETHER), len(parts))
    return Kill(tuple(chance.sample(list(parts), together)))


def place_of(number: int, kills: int, readings: int) -> int:
    """Return how many readings come before a kill.

    Kills are spread evenly, and what comes after the last one shows that it was outlived as well.

    Args:
        number: Of the kill, from 1.
        kills: How many there are.
        readings: How many there are.
    """
    return readings * number // (kills + 1)


def every_order(items: Sequence[Item]) -> list[Item]:
    """Return a short walk that has the items in each of their orders, one after the other.

    Three are walked in 9 steps, where their six orders behind one another would need 18.

    Source:
        Superpermutations, built by always adding the order that overlaps most.
    """
    left = list(permutations(items))
    walk = list(left.pop(0))
    while left:
        closest = max(left, key=_overlap_with(walk))
        left.remove(closest)
        walk += closest[_overlap_with(walk)(closest) :]
    return walk


def _overlap_with(walk: Sequence[Item]) -> Callable[[Sequence[Item]], int]:
    def overlap(order: Sequence[Item]) -> int:
        sizes = range(len(order), 0, -1)
        return next((size for size in sizes if tuple(walk[-size:]) == tuple(order[:size])), 0)

    return overlap
