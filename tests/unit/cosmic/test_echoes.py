from eventservices.cosmic.echoes import MOST, Echoes
from eventservices.cosmic.frame import Frame


def test_a_frame_that_came_back_tells_its_sender() -> None:
    echoes = Echoes()
    echoes.expect(Frame(1, b"a"), 5)
    assert echoes.take(Frame(1, b"a", time_us=99)) == 5
    assert echoes.take(Frame(1, b"a")) is None


def test_a_frame_of_another_that_looks_different_is_no_echo() -> None:
    echoes = Echoes()
    echoes.expect(Frame(1, b"a"), 5)
    assert echoes.take(Frame(1, b"a", extended=False)) is None
    assert echoes.take(Frame(1, b"b")) is None
    assert echoes.take(Frame(1, b"a")) == 5


def test_frames_that_did_not_come_back_before_a_later_one_are_lost() -> None:
    echoes = Echoes()
    echoes.expect(Frame(1, b"a"), 5)
    echoes.expect(Frame(2, b"b"), 6)
    assert echoes.take(Frame(2, b"b")) == 6
    assert echoes.lost == 1
    assert echoes.take(Frame(1, b"a")) is None


def test_what_is_expected_is_bounded() -> None:
    echoes = Echoes()
    for number in range(MOST + 3):
        echoes.expect(Frame(number, b""), 1)
    assert echoes.lost == 3
