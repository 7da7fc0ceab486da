"""What is killed, in which order. No I/O."""

import random
from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Final, TypeVar

Item = TypeVar("Item")

Kill = tuple[str, ...]
"""Parts that are killed at the same moment."""

ORDERED: Final = 3
"""Most members that are killed in every order; four would already take 33 kills."""

TOGETHER: Final = 3
"""Most parts that are killed at the same moment."""


def schedule(parts: Sequence[str], ordered: Sequence[str], count: int, seed: int) -> list[Kill]:
    """Return what is killed, one after the other.

    First each part once, then `ordered` in every order, then some at a time, by chance. A shorter
    schedule has the beginning of that.

    Args:
        parts: All that may be killed: brokers, gateways, adapters, and replicas where there are.
        ordered: Those that are killed in every order; at most `ORDERED`.
        count: How many kills.
        seed: Of chance.
    """
    chance = random.Random(seed)  # noqa: S311 - a schedule, no secret
    once = list(parts)
    chance.shuffle(once)
    kills: list[Kill] = [(part,) for part in (*once, *every_order(ordered[:ORDERED]))]
    while len(kills) < count:
        together = min(chance.randint(1, TOGETHER), len(parts))
        kills.append(tuple(chance.sample(list(parts), together)))
    return kills[:count]


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

    Three are walked in 9 steps, where their six orders behind one another would take 18.

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
