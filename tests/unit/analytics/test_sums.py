"""Tallies and findings of parts add up to those of the whole."""

import math

from analytics.traffic.found import Found, together
from analytics.traffic.tally import Tally, percentile
from analytics.verdict import EXAMPLES
from hypothesis import given
from hypothesis import strategies as some

TIMES = some.lists(some.integers(-1000, 10**7), min_size=1, max_size=200)


def _tally(times: list[int], expected: int) -> Tally:
    tally = Tally()
    tally.counts["expected"] = expected
    for took_us in times:
        tally.hops[0][took_us] = tally.hops[0].get(took_us, 0) + 1
    return tally


@given(TIMES, TIMES)
def test_what_is_added_and_taken_away_again_leaves_nothing_behind(
    one: list[int], other: list[int]
) -> None:
    total = _tally(one, 3)
    total.add(_tally(other, 4))
    assert total == _tally(one + other, 7)
    total.add(_tally(other, 4), -1)
    assert total == _tally(one, 3)


@given(TIMES, some.sampled_from([0.01, 0.5, 0.99, 1.0]))
def test_a_percentile_is_the_nearest_rank(times: list[int], share: float) -> None:
    rank = math.ceil(share * len(times))

    assert percentile(_tally(times, 0).hops[0], share) == sorted(times)[rank - 1]


def test_where_nothing_passed_there_is_no_percentile() -> None:
    assert percentile({}, 0.5) is None


FINDING = some.tuples(
    some.integers(1, 3), some.sampled_from("abcdefghi"), some.just("M01"), some.sampled_from("xyz")
)


@given(some.lists(some.lists(FINDING, max_size=12, unique=True), max_size=5))
def test_the_first_findings_of_all_parts_are_the_first_of_the_whole(
    several: list[list[tuple[int, str, str, str]]],
) -> None:
    parts = [
        {"promise": Found(len(part), tuple(sorted(part)[:EXAMPLES]))} for part in several if part
    ]
    every = sorted(finding for part in several for finding in part)
    whole = together(parts).get("promise", Found(0, ()))

    assert whole == Found(len(every), tuple(every[:EXAMPLES]))
    assert [example.id for example in whole.examples] == [one[1] for one in every[:EXAMPLES]]
