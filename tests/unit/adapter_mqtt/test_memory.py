"""What was published is known again when it comes back, within bounds."""

from adapter_mqtt.memory import KEPT, Last, Own, key_of

KEY = key_of("t", b"1")


def test_each_publication_comes_back_once() -> None:
    own = Own(30.0)
    own.sent(KEY, 0.0)
    own.sent(KEY, 1.0)
    assert [own.is_own(KEY, 2.0) for _ in range(3)] == [True, True, False]


def test_the_same_payload_on_another_topic_is_anothers() -> None:
    own = Own(30.0)
    own.sent(KEY, 0.0)
    assert not own.is_own(key_of("u", b"1"), 0.0)


def test_what_does_not_come_back_in_time_is_forgotten_and_counted() -> None:
    own = Own(30.0)
    own.sent(KEY, 0.0)
    assert not own.is_own(KEY, 31.0)
    assert own.forgotten == 1


def test_what_had_not_come_back_before_a_loss_never_does() -> None:
    own = Own(30.0)
    own.sent(KEY, 0.0)
    own.lost()
    assert not own.is_own(KEY, 1.0)


def test_what_is_remembered_is_bounded() -> None:
    own, last = Own(30.0), Last()
    for number in range(KEPT + 5):
        own.sent(key_of(str(number), b""), 0.0)
        last.note(key_of(str(number), b""))
    assert len(own) == KEPT
    assert own.forgotten == 5
    assert not last.is_known(key_of("0", b""))
    assert last.is_known(key_of("5", b""))


def test_one_message_repeated_without_end_is_bounded_too() -> None:
    own = Own(30.0)
    for _ in range(KEPT + 5):
        own.sent(KEY, 0.0)
    assert len(own) == KEPT
    assert own.forgotten == 5


def test_one_message_repeated_without_end_leaves_others_known_within_the_bound() -> None:
    own, other = Own(30.0), key_of("u", b"1")
    for _ in range(KEPT - 1):
        own.sent(KEY, 0.0)
    own.sent(other, 0.0)
    own.sent(KEY, 1.0)
    own.sent(other, 1.0)
    assert [own.is_own(other, 1.0) for _ in range(3)] == [True, True, False]
    assert len(own) == KEPT - 2


def test_a_publication_that_never_came_back_is_not_kept_known_by_later_ones() -> None:
    own = Own(30.0)
    own.sent(KEY, 0.0)
    for now_s in (20.0, 40.0, 60.0):
        own.sent(KEY, now_s)
        assert own.is_own(KEY, now_s)
    assert not own.is_own(KEY, 60.0)
