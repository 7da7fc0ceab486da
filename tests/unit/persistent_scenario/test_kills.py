"""What is killed, in which order."""

from itertools import permutations

import pytest
from persistent_scenario.kills import every_order, place_of, schedule

PARTS = ("a", "b", "c", "g1", "g2", "g1.cns-a", "g2.cns-c")
ORDERED = ("g1", "g2", "b")


@pytest.mark.parametrize(("count", "steps"), [(1, 1), (2, 3), (3, 9)])
def test_a_walk_has_every_order(count: int, steps: int) -> None:
    items = "xyz"[:count]
    walk = "".join(every_order(items))

    assert len(walk) == steps
    assert all("".join(order) in walk for order in permutations(items))


def test_each_part_is_killed_once_then_some_in_every_order_then_several_at_a_time() -> None:
    kills = schedule(PARTS, ORDERED, 40, 1)

    assert len(kills) == 40
    assert sorted(kills[: len(PARTS)]) == sorted((part,) for part in PARTS)
    ordered = [part for (part,) in kills[len(PARTS) : len(PARTS) + 9]]
    for order in permutations(ORDERED):
        assert any(tuple(ordered[at : at + 3]) == order for at in range(7))
    assert max(map(len, kills)) > 1
    assert all(len(set(kill)) == len(kill) and set(kill) <= set(PARTS) for kill in kills)


def test_the_same_seed_kills_the_same() -> None:
    assert schedule(PARTS, ORDERED, 40, 3) == schedule(PARTS, ORDERED, 40, 3)
    assert schedule(PARTS, ORDERED, 40, 3) != schedule(PARTS, ORDERED, 40, 4)


def test_a_shorter_schedule_is_the_beginning_of_a_longer_one() -> None:
    assert schedule(PARTS, ORDERED, 12, 2) == schedule(PARTS, ORDERED, 40, 2)[:12]
    assert schedule(PARTS, ORDERED, 0, 2) == []


@pytest.mark.parametrize("count", [0, 1, 5, 30])
def test_kills_are_spread_and_something_comes_after_the_last(count: int) -> None:
    places = [place_of(number, count, 1000) for number in range(1, count + 1)]

    assert places == sorted(set(places))
    assert all(0 < place < 1000 for place in places)
    assert place_of(0, 0, 1000) == 0
