"""Events that were given back come in order again."""

from eventservices.cns.persistent.sorter import Sorter
from hypothesis import given
from hypothesis import strategies as st


def test_without_expectations_everything_goes_on_at_once() -> None:
    sorter = Sorter[str]()

    assert sorter.put(7, "seven") == ["seven"]
    assert sorter.put(3, "three") == ["three"]


def test_what_is_expected_is_waited_for() -> None:
    sorter = Sorter[str]()
    sorter.expect([3, 4])

    assert sorter.put(4, "four") == []
    assert sorter.put(9, "nine") == []
    assert sorter.put(3, "three") == ["three", "four", "nine"]
    assert sorter.put(10, "ten") == ["ten"]


def test_a_wait_may_be_given_up_and_another_begin() -> None:
    sorter = Sorter[str]()
    sorter.expect([3, 4])
    sorter.put(4, "four")

    assert sorter.release() == ["four"]
    sorter.expect([5])
    assert sorter.put(6, "six") == []
    sorter.expect([5, 6])
    assert sorter.put(5, "five") == ["five", "six"]


@given(st.permutations(range(1, 9)), st.sets(st.integers(1, 8)))
def test_all_expected_come_before_all_others_that_came_meanwhile(
    arrivals: list[int], expected: set[int]
) -> None:
    sorter = Sorter[int]()
    sorter.expect(expected)

    given_out = [sorter.put(number, number) for number in arrivals]

    flat = [number for ready in given_out for number in ready]
    assert sorted(flat) == list(range(1, 9))
    last = max((place for place, number in enumerate(arrivals) if number in expected), default=0)
    if expected:
        assert all(not ready for ready in given_out[:last])
        assert given_out[last] == sorted(arrivals[: last + 1])
