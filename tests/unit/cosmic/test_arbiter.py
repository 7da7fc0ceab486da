import pytest
from eventservices.cosmic.arbiter import CATCH_UP_US, RETRY_US, Arbiter
from eventservices.cosmic.identifier import Identifier, TimeClass
from eventservices.cosmic.transmission import Outcome, Transmission
from eventservices.errors import RefusedError

T0 = 1_000_000_000


class Told:
    """Keeps what became of a transmission."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []

    def __call__(self, outcome: Outcome, _now_us: int) -> None:
        self.outcomes.append(outcome)


def fixed(can_id: int, *parts: bytes, extended: bool = True, expires_us: int = 0) -> Transmission:
    return Transmission(can_id, iter(parts or (b"",)), Told(), 1, extended, expires_us=expires_us)


def soft(
    etag: int, deadline_us: int, expires_us: int = 0, told: Told | None = None
) -> Transmission:
    return Transmission(
        Identifier(0, 1, etag).can_id,
        iter((b"soft",)),
        told or Told(),
        1,
        time_class=TimeClass.SRT,
        deadline_us=deadline_us,
        expires_us=expires_us,
    )


def hard(etag: int, start_us: int, attempts: int = 1, told: Told | None = None) -> Transmission:
    return Transmission(
        Identifier(0, 1, etag).can_id,
        iter((b"hard",)),
        told or Told(),
        1,
        time_class=TimeClass.HRT,
        start_us=start_us,
        attempts=attempts,
    )


def sent(arbiter: Arbiter, now_us: int) -> list[int]:
    """Send all that may go now, on a bus that takes no time."""
    found = []
    while (frame := arbiter.next(now_us)) is not None:
        found.append(frame.can_id)
        arbiter.sent(now_us)
    return found


def test_the_lowest_identifier_goes_first_whatever_came_first() -> None:
    arbiter = Arbiter(bit_rate=0)
    for can_id in (0x300, 0x100, 0x200):
        arbiter.offer(fixed(can_id))
    assert sent(arbiter, T0) == [0x100, 0x200, 0x300]


def test_frames_of_one_identifier_keep_their_order() -> None:
    arbiter = Arbiter(bit_rate=0)
    for number in range(10):
        arbiter.offer(fixed(0x100, bytes((number,))))
    order = []
    while (frame := arbiter.next(T0)) is not None:
        order.append(frame.data[0])
        arbiter.sent(T0)
    assert order == list(range(10))


def test_a_frame_holds_the_bus_and_is_not_interrupted() -> None:
    arbiter = Arbiter(bit_rate=1_000_000)
    arbiter.offer(fixed(0x300, bytes(8)))
    assert arbiter.next(T0) is not None
    arbiter.sent(T0)
    arbiter.free_us = T0 + 160
    arbiter.offer(fixed(0x100))
    assert arbiter.next(T0 + 159) is None
    frame = arbiter.next(T0 + 160)
    assert frame is not None
    assert frame.can_id == 0x100


def test_the_bus_makes_up_for_lost_time_and_for_no_more() -> None:
    arbiter = Arbiter(bit_rate=1_000_000)
    for _ in range(100):
        arbiter.offer(fixed(0x100, bytes(8)))
    assert len(sent(arbiter, T0)) == CATCH_UP_US // 160 + 1


def test_a_more_urgent_frame_goes_between_the_fragments_of_another() -> None:
    arbiter = Arbiter(bit_rate=0)
    arbiter.offer(fixed(0x1FFFFFFF, b"1", b"2", b"3"))
    first = arbiter.next(T0)
    arbiter.sent(T0)
    arbiter.offer(fixed(0x100))
    assert first is not None
    assert sent(arbiter, T0) == [0x100, 0x1FFFFFFF, 0x1FFFFFFF]


def test_events_in_fragments_on_one_channel_do_not_mix() -> None:
    arbiter = Arbiter(bit_rate=0)
    arbiter.offer(fixed(0x100, b"a1", b"a2"))
    arbiter.offer(fixed(0x100, b"b1", b"b2"))
    order = []
    while (frame := arbiter.next(T0)) is not None:
        order.append(frame.data)
        arbiter.sent(T0)
    assert order == [b"a1", b"a2", b"b1", b"b2"]


def test_the_earliest_deadline_goes_first() -> None:
    arbiter = Arbiter(bit_rate=0)
    arbiter.offer(soft(300, T0 + 90_000))
    arbiter.offer(soft(400, T0 + 10_000))
    etags = [Identifier.of(can_id).etag for can_id in sent(arbiter, T0)]
    assert etags == [400, 300]


def test_a_frame_that_waits_becomes_more_urgent() -> None:
    arbiter = Arbiter(bit_rate=0)
    arbiter.offer(soft(300, T0 + 100_000))
    arbiter.free_us = T0 + 95_500
    assert arbiter.next(T0) is None
    frame = arbiter.next(T0 + 95_500)
    assert frame is not None
    assert frame.identifier.priority == 5


def test_a_missed_deadline_is_told_once_and_the_frame_still_sent() -> None:
    arbiter, told = Arbiter(bit_rate=0), Told()
    arbiter.offer(soft(300, T0, told=told))
    arbiter.free_us = T0 + 5_000
    assert arbiter.next(T0 + 1_000) is None
    assert arbiter.next(T0 + 2_000) is None
    assert len(sent(arbiter, T0 + 5_000)) == 1
    assert told.outcomes == [Outcome.LATE, Outcome.SENT]


def test_an_event_that_expired_is_removed_and_told() -> None:
    arbiter, told = Arbiter(bit_rate=0), Told()
    arbiter.offer(soft(300, T0, T0 + 1_000, told))
    arbiter.free_us = T0 + 5_000
    assert arbiter.next(T0 + 1_000) is None
    assert told.outcomes == [Outcome.LATE, Outcome.EXPIRED]
    assert len(arbiter) == 0


def test_an_event_that_is_not_real_time_expires_too() -> None:
    arbiter = Arbiter(bit_rate=0)
    arbiter.offer(fixed(0x1F000000, expires_us=T0))
    assert sent(arbiter, T0) == []
    assert arbiter.counters.expired == 1


def test_a_hard_frame_waits_for_its_slot_and_then_wins() -> None:
    arbiter = Arbiter(bit_rate=0)
    arbiter.offer(hard(500, T0 + 1_000))
    arbiter.offer(soft(300, T0))
    assert [Identifier.of(one).etag for one in sent(arbiter, T0)] == [300]
    arbiter.offer(soft(300, T0))
    etags = [Identifier.of(one).etag for one in sent(arbiter, T0 + 1_000)]
    assert etags == [500, 300]


def test_a_hard_frame_is_repeated_up_to_its_omission_degree() -> None:
    arbiter, told = Arbiter(bit_rate=0), Told()
    arbiter.offer(hard(500, T0, attempts=3, told=told))
    for _ in range(3):
        assert arbiter.next(T0) is not None
        arbiter.failed(T0)
    assert arbiter.next(T0) is None
    assert told.outcomes == [Outcome.FAILED]


def test_repetition_stops_on_success() -> None:
    arbiter, told = Arbiter(bit_rate=0), Told()
    arbiter.offer(hard(500, T0, attempts=3, told=told))
    arbiter.next(T0)
    arbiter.failed(T0)
    assert len(sent(arbiter, T0)) == 1
    assert told.outcomes == [Outcome.SENT]


def test_another_frame_that_was_not_taken_is_tried_again_later() -> None:
    arbiter = Arbiter(bit_rate=0)
    arbiter.offer(fixed(0x100))
    arbiter.next(T0)
    arbiter.failed(T0)
    assert arbiter.next(T0) is None
    assert sent(arbiter, T0 + RETRY_US) == [0x100]


def test_what_is_too_much_is_refused_and_counted() -> None:
    arbiter = Arbiter(most=2)
    arbiter.offer(fixed(1))
    arbiter.offer(soft(300, T0))
    with pytest.raises(RefusedError):
        arbiter.offer(hard(500, T0))
    assert arbiter.counters.refused == 1


def test_bytes_are_limited_too_and_given_back_when_sent() -> None:
    arbiter = Arbiter(bit_rate=0, most_bytes=10)
    arbiter.offer(fixed(1))
    with pytest.raises(RefusedError):
        arbiter.offer(fixed(2))
    sent(arbiter, T0)
    arbiter.offer(fixed(2))


def test_it_says_when_something_changes_by_itself() -> None:
    arbiter = Arbiter(bit_rate=0)
    arbiter.offer(hard(500, T0 + 7_000))
    assert arbiter.wake_us() == T0 + 7_000
    arbiter.offer(soft(300, T0 + 3_000, T0 + 9_000))
    arbiter.free_us = T0 + 20_000
    assert arbiter.wake_us() == T0 + 3_001


def test_what_is_withdrawn_is_not_sent() -> None:
    arbiter = Arbiter(bit_rate=0)
    arbiter.offer(fixed(0x100))
    arbiter.offer(hard(500, T0))
    arbiter.offer(soft(300, T0))
    arbiter.withdraw(lambda each: each.time_class is TimeClass.HRT)
    assert len(sent(arbiter, T0)) == 2
