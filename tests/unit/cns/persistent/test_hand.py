"""What a consumer has in hand."""

from eventservices.cns.persistent.hand import FINISHED_KEPT, Hand, Held
from eventservices.cns.persistent.replies import Delivery


class Told:
    """Counts how often there was something to acknowledge."""

    def __init__(self) -> None:
        self.times = 0
        self.hand = Hand(self.tell)

    def tell(self) -> None:
        self.times += 1

    def take(self, number: int, now_s: float = 0.0) -> Held | None:
        return self.hand.take(Delivery(number, 5), f"ack.{number}", now_s)


def test_an_event_is_acknowledged_once_when_it_is_done() -> None:
    told = Told()
    held = told.take(7)
    assert held is not None
    assert len(told.hand) == 1

    held.done()
    held.done()

    assert (list(told.hand.acks), told.times, len(told.hand)) == (["ack.7"], 1, 0)


def test_one_in_hand_is_not_taken_again_but_answered_where_it_came_last() -> None:
    told = Told()
    held = told.take(7)
    assert held is not None

    assert told.hand.take(Delivery(7, 5), "ack.again", 0.0) is None
    held.done()

    assert list(told.hand.acks) == ["ack.again"]


def test_one_that_is_finished_is_acknowledged_again() -> None:
    told = Told()
    held = told.take(7)
    assert held is not None
    held.done()

    assert told.take(7) is None
    assert list(told.hand.acks) == ["ack.7", "ack.7"]


def test_what_is_finished_is_remembered_within_a_bound() -> None:
    told = Told()
    for number in range(1, FINISHED_KEPT + 10):
        held = told.take(number)
        assert held is not None
        held.done()

    assert len(told.hand.finished) == FINISHED_KEPT
    assert told.take(1) is not None


def test_the_broker_is_told_of_what_takes_long() -> None:
    told = Told()
    told.take(1, now_s=0.0)
    told.take(2, now_s=8.0)

    assert [held.number for held in told.hand.untouched(5.0, 10.0)] == [1]
    assert told.hand.untouched(5.0, 10.0) == []


def test_an_event_of_another_stream_is_acknowledged_no_more() -> None:
    told = Told()
    old = told.take(7)
    assert old is not None
    told.hand.clear()
    new = told.take(7)

    old.done()

    assert not told.hand.acks
    assert told.hand.held == {7: new}
