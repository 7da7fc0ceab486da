"""However copies of messages lie around a handover, each message is taken once."""

from adapter_nats.handover import KEPT, Handover
from hypothesis import given
from hypothesis import strategies as st

OLD, NEW = "r.*.3", "r.*.*"


def copy(number: int) -> tuple[str, bytes, bytes]:
    return ("r.2.3", str(number).encode(), b"")


@given(data=st.data(), count=st.integers(1, 8))
def test_each_message_is_taken_once(data: st.DataObject, count: int) -> None:
    """The server may put any copies between the two of one message."""
    order = data.draw(st.permutations([(way, n) for n in range(count) for way in (OLD, NEW)]))
    at = data.draw(st.integers(0, len(order)))
    handover = Handover(frozenset([OLD]))
    taken = []
    for place, (way, number) in enumerate(order):
        handover.over = place >= at
        if handover.is_turn(way, [OLD, NEW], copy(number)):
            taken.append(number)
    assert sorted(taken) == list(range(count))


@given(equal=st.integers(1, 4), at=st.integers(0, 8))
def test_equal_messages_are_as_many_as_there_were(equal: int, at: int) -> None:
    handover = Handover(frozenset([OLD]))
    taken = 0
    for place in range(2 * equal):
        handover.over = place >= at
        taken += handover.is_turn((OLD, NEW)[place % 2], [OLD, NEW], copy(0))
    assert taken == equal


def test_once_the_old_one_has_ended_the_new_one_takes_all() -> None:
    handover = Handover(frozenset([OLD]))
    handover.over = True
    assert all(handover.is_turn(NEW, [OLD, NEW], copy(number)) for number in range(5))


def test_one_that_does_not_end_keeps_its_turn() -> None:
    handover = Handover(frozenset([OLD]))
    assert handover.is_turn("r.#", ["r.#", OLD, NEW], copy(1))
    assert not handover.is_turn(OLD, ["r.#", OLD, NEW], copy(1))


def test_what_is_remembered_is_bounded() -> None:
    handover = Handover(frozenset([OLD]))
    for number in range(KEPT + 10):
        handover.is_turn(OLD, [OLD, NEW], copy(number))
    assert len(handover._ahead) == KEPT
