"""The queue of one consumer: the matrix of order and discard policies, and its laws."""

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from eventservices.cns import AnyEvent, DiscardPolicy, OrderPolicy
from eventservices.cns.queueing import EventQueue, Item
from hypothesis import given
from hypothesis import strategies as st

S = 1_000_000
FAR = 10**18

PRIORITIES = (0, 0, 0, 2, 2, 0, -1, -1, 0)
TIMEOUTS_S = (90, 80, 70, 30, 20, 50, 40, 60, 10)


def nine() -> list[Item]:
    """Return the nine events of the matrix, in the order in which they are offered."""
    return [
        Item(AnyEvent(number), priority=priority, deadline_us=timeout * S)
        for number, priority, timeout in zip(range(1, 10), PRIORITIES, TIMEOUTS_S, strict=True)
    ]


def drained(queue: EventQueue, now_us: int = 0) -> list[object]:
    values = []
    while items := queue.head(1, now_us):
        queue.remove(items[0])
        values.append(items[0].event.value)  # type: ignore[union-attr] # all are Anys here
    return values


NEWEST = (DiscardPolicy.ANY, DiscardPolicy.LIFO)
MATRIX = [
    *[(discard, OrderPolicy.FIFO, "12345") for discard in NEWEST],
    *[(discard, OrderPolicy.PRIORITY, "45123") for discard in NEWEST],
    *[(discard, OrderPolicy.DEADLINE, "54321") for discard in NEWEST],
    (DiscardPolicy.FIFO, OrderPolicy.FIFO, "56789"),
    (DiscardPolicy.FIFO, OrderPolicy.PRIORITY, "56978"),
    (DiscardPolicy.FIFO, OrderPolicy.DEADLINE, "95768"),
    (DiscardPolicy.PRIORITY, OrderPolicy.FIFO, "12345"),
    (DiscardPolicy.PRIORITY, OrderPolicy.PRIORITY, "45123"),
    (DiscardPolicy.PRIORITY, OrderPolicy.DEADLINE, "54321"),
    (DiscardPolicy.DEADLINE, OrderPolicy.FIFO, "12368"),
    (DiscardPolicy.DEADLINE, OrderPolicy.PRIORITY, "12368"),
    (DiscardPolicy.DEADLINE, OrderPolicy.DEADLINE, "68321"),
]


@pytest.mark.parametrize(("discard", "order", "expected"), MATRIX)
def test_the_matrix_of_order_and_discard_policies_holds(
    discard: DiscardPolicy, order: OrderPolicy, expected: str
) -> None:
    queue = EventQueue(order, discard, limit=5)

    gone = [item for offered in nine() for item in queue.put(offered)]

    assert len(gone) == 4
    assert "".join(map(str, drained(queue))) == expected


@pytest.mark.parametrize("order", [OrderPolicy.PRIORITY, OrderPolicy.DEADLINE])
def test_equals_stay_in_the_order_of_arrival(order: OrderPolicy) -> None:
    queue = EventQueue(order)
    for number in range(20):
        queue.put(Item(AnyEvent(number), priority=3, deadline_us=S))

    assert drained(queue) == list(range(20))


def test_events_without_deadline_come_last_and_are_discarded_last() -> None:
    queue = EventQueue(OrderPolicy.DEADLINE, DiscardPolicy.DEADLINE, limit=2)

    queue.put(Item(AnyEvent("never")))
    queue.put(Item(AnyEvent("late"), deadline_us=100))
    [gone] = queue.put(Item(AnyEvent("soon"), deadline_us=10))

    assert gone.event == AnyEvent("soon")
    assert drained(queue) == ["late", "never"]


def test_an_event_waits_for_its_start_and_counts_for_the_limit() -> None:
    queue = EventQueue(limit=2)
    queue.put(Item(AnyEvent("later"), start_us=50))
    queue.put(Item(AnyEvent("now")))

    [refused] = queue.put(Item(AnyEvent("third")))

    assert refused.event == AnyEvent("third")
    assert queue.next_us() == 50
    assert drained(queue, 49) == ["now"]
    assert drained(queue, 50) == ["later"]


def test_what_expires_leaves_the_queue_whether_it_started_or_not() -> None:
    queue = EventQueue()
    queue.put(Item(AnyEvent("a"), expires_us=10))
    queue.put(Item(AnyEvent("b"), expires_us=30, start_us=40))
    queue.put(Item(AnyEvent("c")))

    assert queue.next_us() == 10
    assert [item.event for item in queue.expire(10)] == [AnyEvent("a")]
    assert [item.event for item in queue.expire(100)] == [AnyEvent("b")]
    assert drained(queue, 100) == ["c"]
    assert queue.next_us() is None


def test_a_head_of_several_stays_until_it_is_removed() -> None:
    queue = EventQueue(OrderPolicy.PRIORITY)
    for number in range(4):
        queue.put(Item(AnyEvent(number), priority=number))

    assert [item.priority for item in queue.head(3, 0)] == [3, 2, 1]
    assert len(queue) == 4
    assert drained(queue) == [3, 2, 1, 0]


def test_a_lower_limit_discards_at_once_and_policies_change_for_what_waits() -> None:
    queue = EventQueue(OrderPolicy.FIFO)
    for item in nine():
        queue.put(item)

    gone = queue.configure(OrderPolicy.DEADLINE, DiscardPolicy.FIFO, 5)

    assert [item.event for item in gone] == [AnyEvent(number) for number in (1, 2, 3, 4)]
    assert drained(queue) == [9, 5, 7, 6, 8]


def test_what_left_the_queue_is_not_kept_in_memory() -> None:
    queue = EventQueue(OrderPolicy.PRIORITY, DiscardPolicy.FIFO, limit=3)
    for number in range(10_000):
        queue.put(Item(AnyEvent(number), expires_us=FAR + number, deadline_us=FAR))

    indexes = (queue._delivery, queue._discarding, queue._expiry)

    assert max(len(index._heap) for index in indexes) < 200


@dataclass(frozen=True)
class Offered:
    """An event of the model: its number in the order of arrival, priority and deadline."""

    number: int
    priority: int
    deadline: int | None

    @property
    def due(self) -> float:
        return float("inf") if self.deadline is None else self.deadline


ORDER_KEYS = {
    OrderPolicy.ANY: lambda e: e.number,
    OrderPolicy.FIFO: lambda e: e.number,
    OrderPolicy.PRIORITY: lambda e: (-e.priority, e.number),
    OrderPolicy.DEADLINE: lambda e: (e.due, e.number),
}
DISCARD_KEYS = {
    DiscardPolicy.ANY: lambda e: -e.number,
    DiscardPolicy.LIFO: lambda e: -e.number,
    DiscardPolicy.FIFO: lambda e: e.number,
    DiscardPolicy.PRIORITY: lambda e: (e.priority, -e.number),
    DiscardPolicy.DEADLINE: lambda e: (e.due, -e.number),
}

arrivals = st.lists(
    st.tuples(st.integers(-3, 3), st.none() | st.integers(1, 5), st.booleans()), max_size=40
)


@given(arrivals, st.sampled_from(OrderPolicy), st.sampled_from(DiscardPolicy), st.integers(1, 6))
def test_the_queue_is_a_sorted_list_of_what_was_not_discarded(
    script: Sequence[tuple[int, int | None, bool]],
    order: OrderPolicy,
    discard: DiscardPolicy,
    limit: int,
) -> None:
    queue, model = EventQueue(order, discard, limit), list[Offered]()
    for number, (priority, deadline, takes) in enumerate(script):
        queue.put(Item(AnyEvent(number), priority=priority, deadline_us=deadline))
        model.append(Offered(number, priority, deadline))
        if len(model) > limit:
            model.remove(min(model, key=DISCARD_KEYS[discard]))
        if takes and model:
            [item] = queue.head(1, 0)
            queue.remove(item)
            first = min(model, key=ORDER_KEYS[order])
            model.remove(first)
            assert item.event == AnyEvent(first.number)
    assert drained(queue) == [e.number for e in sorted(model, key=ORDER_KEYS[order])]
