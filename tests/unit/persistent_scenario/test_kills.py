"""What is killed, in which order."""

from itertools import permutations

import pytest
from persistent_scenario.kills import LEADERS, How, Kill, every_order, place_of, schedule

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
    assert sorted(kill.parts for kill in kills[: len(PARTS)]) == sorted((p,) for p in PARTS)
    assert {kill.how for kill in kills} == {How.KILLED}
    ordered = [kill.parts[0] for kill in kills[len(PARTS) : len(PARTS) + 9]]
    for order in permutations(ORDERED):
        assert any(tuple(ordered[at : at + 3]) == order for at in range(7))
    assert max(len(kill.parts) for kill in kills) > 1
    for parts, _ in kills:
        assert len(set(parts)) == len(parts)
        assert set(parts) <= set(PARTS)


def test_the_leader_of_each_gateway_with_replicas_is_stopped_and_stands_still() -> None:
    kills = schedule(PARTS, ORDERED, 60, 1, ("g1", "g2"))

    first = len(PARTS) + 2 * len(LEADERS)
    early = {kill for kill in kills[:first] if kill.of_leader}
    assert early == {Kill((name,), how) for name in ("g1", "g2") for how in LEADERS}
    assert {kill for kill in kills[:first] if not kill.of_leader} == {Kill((p,)) for p in PARTS}
    late = kills[first + 9 :]
    assert {kill.how for kill in late} == set(How)
    assert schedule(PARTS, ORDERED, 60, 2, ("g1", "g2")) != kills


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
