"""Publications on their way: order, room, and what a new connection begins with."""

from eventservices.cns.persistent.window import Window
from hypothesis import given
from hypothesis import strategies as st


def filled(count: int, window: Window[str] | None = None) -> Window[str]:
    made = Window[str](100, 10_000) if window is None else window
    for number in range(1, count + 1):
        made.add("s", b"x" * 10, {}, f"#{number}")
    return made


def sent(window: Window[str], now_s: float = 0.0) -> list[int]:
    numbers = []
    while (publication := window.next(now_s)) is not None:
        numbers.append(publication.number)
    return numbers


def test_everything_is_sent_once_in_order() -> None:
    window = filled(3)

    assert sent(window) == [1, 2, 3]
    assert sent(window) == []


def test_a_new_connection_begins_with_the_oldest_that_is_not_acknowledged() -> None:
    window = filled(5)
    sent(window)
    window.settle(1)
    window.settle(3)

    window.rewind()

    assert sent(window) == [2, 4, 5]


def test_what_is_answered_while_it_waits_to_be_sent_again_is_not_sent() -> None:
    window = filled(3)
    sent(window)
    window.rewind()
    window.settle(2)

    assert sent(window) == [1, 3]


def test_an_answer_for_what_is_not_there_means_nothing() -> None:
    window = filled(1)

    assert window.settle(7) is None
    found = window.settle(1)
    assert found is not None
    assert found.outcome == "#1"
    assert window.settle(1) is None


def test_room_is_bounded_by_count_and_bytes_and_one_large_event_passes() -> None:
    by_count, by_bytes = filled(2, Window[str](2, 1000)), filled(2, Window[str](100, 25))

    assert not by_count.has_room(1)
    assert not by_bytes.has_room(6)
    assert by_bytes.has_room(5)
    by_count.settle(1)
    assert by_count.has_room(1)
    assert Window[str](2, 25).has_room(1000)


def test_the_wait_for_an_answer_begins_when_the_oldest_was_sent() -> None:
    window = filled(2)
    assert window.waits_since_s() is None

    sent(window, 5.0)
    assert window.waits_since_s() == 5.0
    window.rewind()
    assert window.waits_since_s() is None


def test_clearing_gives_back_what_was_not_answered() -> None:
    window = filled(3)
    sent(window)
    window.settle(2)

    assert [publication.number for publication in window.clear()] == [1, 3]
    assert len(window) == 0


@given(st.data())
def test_the_broker_stores_in_order_whatever_breaks_when(data: st.DataObject) -> None:
    """Two connections may both be read for a while, each in order and without gaps.

    The broker knows later copies by their identity; acknowledgements may be lost.
    """
    window = filled(data.draw(st.integers(1, 12), label="publications"))
    total = len(window)
    stored: list[int] = []
    unread: list[int] = []
    for _ in range(data.draw(st.integers(1, 4), label="connections")):
        window.rewind()
        wire = sent(window)
        wire = wire[: data.draw(st.integers(0, len(wire)), label="sent before it broke")]
        while wire or unread:
            old = bool(unread) and (not wire or data.draw(st.booleans(), label="old first"))
            number = (unread if old else wire).pop(0)
            if number not in stored:
                stored.append(number)
            if not old and data.draw(st.booleans(), label="acknowledged"):
                window.settle(number)
            if not old and data.draw(st.booleans(), label="breaks"):
                unread, wire = unread + [n for n in wire if n > max(unread, default=0)], []
                break
    window.rewind()
    stored += [number for number in sent(window) if number not in stored]

    assert stored == list(range(1, total + 1))
