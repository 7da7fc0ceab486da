"""Suppression stays within its bounds, whatever sequence numbers come."""

import time

from eventservices.stamp import Stamp
from eventservices.suppress import Suppressor
from hypothesis import given
from hypothesis import strategies as st

LAST = 2**63 - 1


def stamp(sequence: int, origin: str = "o") -> Stamp:
    return Stamp(origin, 1, sequence, 0, "h")


def test_each_identity_passes_once() -> None:
    suppressor = Suppressor(window=8)
    passed = [number for number in (1, 3, 2, 3, 1, 4) if not suppressor.repeated(stamp(number))]
    assert passed == [1, 3, 2, 4]
    assert suppressor.suppressed == 2


def test_what_fell_out_of_the_window_counts_as_repeated() -> None:
    suppressor = Suppressor(window=8)
    assert not suppressor.repeated(stamp(9))
    assert not suppressor.repeated(stamp(2))
    assert suppressor.repeated(stamp(1))


def test_a_sequence_far_behind_costs_neither_time_nor_memory() -> None:
    suppressor = Suppressor()
    assert not suppressor.repeated(stamp(LAST))
    began_s = time.perf_counter()
    assert all(suppressor.repeated(stamp(LAST - 2**number)) for number in (12, 20, 31))
    assert time.perf_counter() - began_s < 1.0
    assert not suppressor.repeated(stamp(LAST - 1))


def test_one_event_with_an_absurd_sequence_does_not_mute_its_origin() -> None:
    suppressor = Suppressor()
    for absurd in (LAST, 2**62, 2**40):
        assert not suppressor.repeated(stamp(absurd))
        assert suppressor.repeated(stamp(absurd))
        assert not suppressor.repeated(stamp(absurd % 97 + 1))
        assert suppressor.repeated(stamp(absurd % 97 + 1))


def test_an_origin_that_jumps_again_and_again_keeps_the_window_that_it_uses() -> None:
    suppressor = Suppressor()
    for number in range(1, 200):
        assert not suppressor.repeated(stamp(number))
        assert not suppressor.repeated(stamp(number << 40))
    assert all(suppressor.repeated(stamp(number)) for number in range(1, 200))


def test_the_same_identity_of_two_homes_is_two_events() -> None:
    suppressor = Suppressor()
    for home in ("north", "south"):
        assert not suppressor.repeated(Stamp("samename", 7, 1, 0, home))
        assert suppressor.repeated(Stamp("samename", 7, 1, 0, home))


def test_origins_are_bounded_and_the_oldest_is_forgotten() -> None:
    suppressor = Suppressor(origins=2)
    for origin in ("a", "b", "c"):
        assert not suppressor.repeated(stamp(1, origin))
    assert suppressor.forgotten == 1
    assert not suppressor.repeated(stamp(1, "a"))


@given(
    st.integers(1, 40),
    st.lists(st.one_of(st.integers(0, 60), st.integers(-3, 3)), min_size=1, max_size=200),
)
def test_a_window_remembers_what_a_set_would(size: int, steps: list[int]) -> None:
    suppressor, seen, highest, sequence = Suppressor(window=size), set[int](), 0, 100
    for step in steps:
        sequence = sequence + step if step <= 3 else 100 + step
        late = bool(seen) and highest - sequence >= size
        expected = late or sequence in seen
        again = suppressor.repeated(stamp(sequence))
        assert again is expected
        seen.add(sequence)
        highest = max(highest, sequence)
