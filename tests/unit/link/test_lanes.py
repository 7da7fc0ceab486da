"""Events that wait for a link: urgent ones go first, and others go for them."""

import pytest
from fes.link.end import Message
from fes.link.lanes import MESSAGE_BYTES, Lanes
from fes.link.messages import Done, Heard, HeardControl, Publish, PublishControl
from fes.model import Stamp


def heard(number: int, priority: int = 0, body: bytes = b"", origin: str = "o") -> Heard:
    return Heard(Stamp(origin, 1, number, 5, "home"), (), "Speed", (), 0, 0, priority, False, body)


def publish(number: int, priority: int = 0) -> Publish:
    return Publish(Stamp("o", 1, number, 5, "home"), (), 0, b"", priority)


class Told:
    """Lanes, and the events that had to go."""

    def __init__(self, queue: int = 20_000, lane_bytes: int = 1_000_000) -> None:
        self.displaced: list[Message] = []
        self.lanes = Lanes(queue, control=1, lane_bytes=lane_bytes)
        self.lanes.on_displaced = self.displaced.append

    def put(self, *messages: Message) -> list[bool]:
        return [self.lanes.put(message) for message in messages]


def test_urgent_events_go_first_over_a_link_and_equal_ones_in_their_order() -> None:
    """Rule G21."""
    told = Told()
    waiting: list[Message] = [
        heard(1),
        publish(2, 5),
        heard(3, -3),
        heard(4, 5),
        PublishControl(b"", True, 1),
    ]
    told.put(*waiting)

    assert told.lanes.take() == tuple(waiting[at] for at in (1, 3, 4, 0, 2))


def test_events_of_an_origin_that_are_as_urgent_keep_their_order() -> None:
    told = Told()
    told.put(*(heard(n, n % 3, origin=origin) for n in range(30) for origin in ("a", "b")))

    gone = [each for each in told.lanes.take() if isinstance(each, Heard)]
    for origin in ("a", "b"):
        for priority in range(3):
            of_both = [
                each.stamp.sequence
                for each in gone
                if (each.stamp.origin, each.priority) == (origin, priority)
            ]
            assert of_both == sorted(of_both)
            assert len(of_both) == 10


def test_control_traffic_passes_even_the_most_urgent_event() -> None:
    told = Told()
    told.put(heard(1, 32767), Done(7))

    assert told.lanes.take() == (Done(7), heard(1, 32767))


def test_a_full_lane_drops_the_newest_of_the_least_urgent_and_tells_which() -> None:
    """Rule G22."""
    told = Told(queue=3)

    assert told.put(heard(1, -1), heard(2, -1), heard(3), heard(4, 1)) == [True] * 4
    assert told.displaced == [heard(2, -1)]
    assert told.put(heard(5, 1), heard(6, 1)) == [True] * 2
    assert told.displaced == [heard(2, -1), heard(1, -1), heard(3)]
    assert told.lanes.take() == (heard(4, 1), heard(5, 1), heard(6, 1))
    assert (told.lanes.dropped, told.lanes.cut) == (3, False)


@pytest.mark.parametrize("priority", [-1, 0])
def test_a_full_lane_does_not_take_what_is_no_more_urgent_than_others(priority: int) -> None:
    told = Told(queue=2)

    assert told.put(heard(1), heard(2), heard(3, priority)) == [True, True, False]
    assert told.displaced == []
    assert told.lanes.dropped == 1


def test_a_control_event_heard_with_an_event_in_it_is_as_urgent_as_most_are() -> None:
    told = Told(queue=2)
    control = HeardControl(None, b"", publication=True)
    told.put(heard(1, -1), control)

    assert told.put(heard(2, 1), heard(3, 1)) == [True, True]
    assert told.displaced == [heard(1, -1), control]


def test_as_many_go_as_an_urgent_event_needs_bytes() -> None:
    size = 100 + MESSAGE_BYTES
    told = Told(lane_bytes=10 * size)
    told.put(*(heard(n, body=bytes(100)) for n in range(9)), heard(9, 1, bytes(500)))

    assert told.put(heard(10, 2)) == [True]
    assert told.displaced == [heard(n, body=bytes(100)) for n in (8, 7, 6)]


def test_nothing_goes_for_an_event_that_has_no_room_nevertheless() -> None:
    told = Told(lane_bytes=1000)
    told.put(heard(1), heard(2, 1, bytes(2000)))

    assert told.put(heard(3, 1)) == [False]
    assert told.displaced == []
    assert told.lanes.take() == (heard(2, 1, bytes(2000)), heard(1))


def test_bytes_stay_bounded_however_urgent_the_next_event_is() -> None:
    told = Told(lane_bytes=1000)
    sent = [heard(priority, priority, bytes(priority)) for priority in range(1, 200)]

    assert all(told.put(*sent))
    left = list(told.lanes.take())
    assert left == sent[: -len(left) - 1 : -1]
    assert sum(len(each.body) + MESSAGE_BYTES for each in left if isinstance(each, Heard)) < 1300
    assert len(told.displaced) == told.lanes.dropped == len(sent) - len(left)
