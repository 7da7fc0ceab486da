"""Orders that wait while the event service is away."""

from fes.adapter.outbound.order_queue import Orders
from fes.link.messages import (
    Announce,
    Desired,
    Order,
    Publish,
    PublishControl,
    Subscribe,
    Unannounce,
    Unsubscribe,
)
from fes.model import Stamp


def orders(*held: int, queue: int = 3) -> Orders:
    return Orders(queue, set(held).__contains__)


def all_of(waiting: Orders) -> list[Order]:
    return [waiting.take() for _ in range(len(waiting))]


def publish(number: int, priority: int = 0) -> Publish:
    return Publish(Stamp("car", 1, number, 0, "home"), (), 0, b"", priority)


def test_what_shall_hold_comes_before_requests_and_those_before_events() -> None:
    waiting = orders()
    event, request = PublishControl(b"e", publication=True), PublishControl(b"r")
    for order in (publish(1), event, request, Subscribe(1, "a", 1)):
        assert waiting.put(order)

    assert all_of(waiting) == [Subscribe(1, "a", 1), request, publish(1), event]


def test_requests_and_events_go_in_turns() -> None:
    """A flood of requests to forward does not hold up the events, nor they the requests."""
    waiting = orders(queue=9)
    events = [publish(number) for number in range(2)]
    requests = [PublishControl(b"%d" % number) for number in range(4)]
    both: list[Order] = [*events, *requests]
    for order in both:
        assert waiting.put(order)

    one, two, three, four = requests
    assert all_of(waiting) == [one, events[0], two, events[1], three, four]


def test_events_and_requests_above_the_bound_are_not_taken() -> None:
    waiting = orders(queue=2)
    events = [waiting.put(publish(1)), waiting.put(PublishControl(b"", publication=True))]
    requests = [waiting.put(PublishControl(b"")) for _ in range(3)]

    assert events == [True, True]
    assert not waiting.put(publish(2))
    assert requests == [True, True, False]


def test_urgent_publications_go_first_and_equal_ones_in_their_order() -> None:
    """Rule G23."""
    waiting = orders(queue=5)
    events: list[Order] = [publish(1), publish(2, 7), publish(3, -7), publish(4)]
    events.insert(3, PublishControl(b"", True, 7))
    first: list[Order] = [Subscribe(1, "a", 1), PublishControl(b"", priority=-9)]
    for order in (*events, *first):
        assert waiting.put(order)

    assert all_of(waiting) == [*first, *(events[at] for at in (1, 3, 0, 4, 2))]


def test_a_publication_goes_for_a_more_urgent_one_and_is_told() -> None:
    displaced: list[Order] = []
    waiting = Orders(2, set().__contains__, displaced.append)
    events = [publish(1), publish(2), publish(3, 1), publish(4), publish(5, 1), publish(6, 1)]

    assert [waiting.put(event) for event in events] == [True, True, True, False, True, False]
    assert displaced == [publish(2), publish(1)]
    assert all_of(waiting) == [publish(3, 1), publish(5, 1)]


def test_churn_leaves_nothing_that_waits() -> None:
    waiting = orders()
    for number in range(1, 1000):
        waiting.put(Subscribe(number, "a", number))
        waiting.put(Announce(number, b""))
        waiting.put(Unsubscribe(number, number))
        waiting.put(Unannounce(number))

    assert len(waiting) == 0


def test_the_withdrawal_of_what_is_held_stays() -> None:
    waiting = orders(1, 2)
    waiting.put(Announce(2, b"changed"))
    waiting.put(Unannounce(2))
    waiting.put(Unsubscribe(1, 5))

    assert all_of(waiting) == [Unannounce(2), Unsubscribe(1, 5)]


def test_a_whole_state_takes_the_place_of_what_waits_and_is_changed_by_what_comes() -> None:
    waiting = orders(1)
    waiting.put(Unsubscribe(1, 1))
    waiting.put(Desired(2, (Subscribe(2, "b", 2), Subscribe(3, "c", 2)), (Announce(4, b"x"),)))
    waiting.put(Unsubscribe(2, 3))
    waiting.put(Unannounce(4))
    waiting.put(Announce(5, b"y"))
    waiting.put(Subscribe(6, "d", 4))

    assert all_of(waiting) == [
        Desired(4, (Subscribe(3, "c", 2), Subscribe(6, "d", 4)), (Announce(5, b"y"),))
    ]
