import pytest
from eventservices.cosmic.binding import (
    GIVEN,
    Binding,
    EtagTable,
    ask,
    check_etag,
    preferred_etag,
    supply,
)
from eventservices.cosmic.frame import Frame
from eventservices.errors import MalformedError, RefusedError

UID = b"Speed\0\0\0"


def test_a_node_asks_with_the_subject() -> None:
    assert ask(5, UID) == Frame(0x1FA14002, UID)


def test_the_broker_answers_in_two_halves() -> None:
    first, second = supply(5, UID, 0x3039)
    assert first == Frame(0x1FBFC004, bytes.fromhex("0500303953706565"))
    assert second == Frame(0x1FBFC004, bytes.fromhex("0501303964000000"))


def test_both_halves_under_one_etag_bind() -> None:
    first, second = supply(5, UID, 300)
    binding = Binding(UID)
    assert binding.take(first) is None
    assert binding.take(second) == 300


def test_the_halves_may_come_in_any_order() -> None:
    first, second = supply(5, UID, 300)
    binding = Binding(UID)
    assert binding.take(second) is None
    assert binding.take(first) == 300


def test_the_answer_to_another_node_about_the_same_subject_will_do() -> None:
    binding = Binding(UID)
    assert [binding.take(frame) for frame in supply(99, UID, 300)] == [None, 300]


def test_halves_of_different_etags_do_not_bind() -> None:
    binding = Binding(UID)
    assert binding.take(supply(5, UID, 300)[0]) is None
    assert binding.take(supply(5, UID, 301)[1]) is None


def test_answers_about_another_subject_that_shares_a_half_do_not_bind() -> None:
    binding = Binding(UID)
    first, second = supply(5, b"SpeeXXXX", 300)
    assert binding.take(first) is None
    assert binding.take(second) is None
    assert binding.take(supply(5, UID, 301)[0]) is None


@pytest.mark.parametrize("data", [b"", b"\5\0\1\2", b"\5\2\1\2Spee", b"\5\0\1\2Speed"])
def test_what_is_no_answer_is_passed_over(data: bytes) -> None:
    assert Binding(UID).take(Frame(0x1FBFC004, data)) is None


def test_the_two_highest_bits_of_an_etag_are_no_part_of_it() -> None:
    binding = Binding(UID)
    binding.take(Frame(0x1FBFC004, bytes.fromhex("0500c12c53706565")))
    assert binding.take(supply(5, UID, 300)[1]) == 300


def test_a_subject_keeps_its_etag_also_over_a_restart() -> None:
    one, other = EtagTable(), EtagTable()
    other.bind(b"another1")
    assert one.bind(UID) == one.bind(UID) == other.bind(UID) == preferred_etag(UID)


def test_known_etags_are_given_to_nobody_else() -> None:
    table = EtagTable({b"12345678": preferred_etag(UID)})
    assert table.bind(UID) != preferred_etag(UID)
    assert table.bind(b"12345678") == preferred_etag(UID)


def test_etags_run_out_at_2_to_14_less_the_reserved() -> None:
    table = EtagTable()
    given = {table.bind(number.to_bytes(8, "big")) for number in range(1, GIVEN + 1)}
    assert len(given) == GIVEN == 16284
    assert min(given) == 100
    with pytest.raises(RefusedError):
        table.bind(UID)


def test_an_etag_is_given_to_one_subject() -> None:
    with pytest.raises(MalformedError):
        EtagTable({b"12345678": 300, b"abcdefgh": 300})


@pytest.mark.parametrize("etag", [-1, 0, 99, 16384])
def test_reserved_etags_are_refused(etag: int) -> None:
    with pytest.raises(MalformedError):
        check_etag(etag)
