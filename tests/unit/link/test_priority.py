"""What waits goes in the order of its priority."""

from fes.link.lanes import PriorityQueue
from hypothesis import given
from hypothesis import strategies as st

PRIORITIES = st.lists(st.integers(-3, 3), max_size=30)

Item = tuple[int, int]
"""Priority, and place in the order of arrival."""


def filled(priorities: list[int]) -> tuple[PriorityQueue[Item], list[Item]]:
    queue: PriorityQueue[Item] = PriorityQueue()
    items = [(priority, place) for place, priority in enumerate(priorities)]
    for item in items:
        queue.append(item, item[0])
    return queue, items


def by_urgency(item: Item) -> tuple[int, int]:
    priority, place = item
    return -priority, place


@given(PRIORITIES)
def test_larger_priorities_go_first_and_equal_ones_in_their_order(priorities: list[int]) -> None:
    queue, items = filled(priorities)

    assert [queue.popleft() for _ in items] == sorted(items, key=by_urgency)
    assert not queue


@given(PRIORITIES)
def test_what_goes_for_others_is_the_newest_of_the_least_urgent(priorities: list[int]) -> None:
    queue, items = filled(priorities)

    assert [queue.pop_least() for _ in items] == sorted(items, key=by_urgency, reverse=True)
    assert not queue


@given(PRIORITIES, st.integers(-4, 4))
def test_what_is_less_urgent_is_told_in_the_order_in_which_it_goes(
    priorities: list[int], than: int
) -> None:
    queue, items = filled(priorities)
    below = list(queue.below(than))

    assert len(queue) == len(items)
    assert below == [queue.pop_least() for _ in below]
    assert all(priority < than for priority, _ in below)
    assert len(below) == sum(priority < than for priority in priorities)


@given(st.lists(st.one_of(st.none(), st.integers(-3, 3)), max_size=60))
def test_it_is_in_order_whatever_comes_and_goes(steps: list[int | None]) -> None:
    queue: PriorityQueue[Item] = PriorityQueue()
    waiting: list[Item] = []
    for place, priority in enumerate(steps):
        if priority is not None:
            queue.append((priority, place), priority)
            waiting.append((priority, place))
        elif waiting:
            first = min(waiting, key=by_urgency)
            waiting.remove(first)
            assert queue.popleft() == first

    assert len(queue) == len(waiting)
