"""What is enough to subscribe to, while filters come and go."""

import pytest
from fes.filter import Change, Maximal, parse
from fes.filter.algebra import maximal as module


def _set(*texts: str) -> Maximal[str]:
    kept = Maximal[str]()
    for text in texts:
        kept.add(text, parse(text))
    return kept


def test_a_thousand_filters_of_which_most_are_covered_are_ten() -> None:
    kept = Maximal[tuple[int, int]]()
    for limit in range(100):
        for zone in range(10):
            kept.add((zone, limit), parse(f"Speed = TRUE AND zone = {zone} AND rate > {limit}"))
    assert len(kept) == 1000
    assert {*kept} == {(zone, 0) for zone in range(10)}
    for zone in range(10):
        assert kept.remove((zone, 0)) == Change(((zone, 1),), ((zone, 0),))
    assert {*kept} == {(zone, 1) for zone in range(10)}


def test_a_wider_filter_takes_the_place_of_those_that_it_covers() -> None:
    kept = _set("rate > 5", "rate > 9", "zone = 1")
    assert kept.add("rate > 1", parse("rate > 1")) == Change(("rate > 1",), ("rate > 5",))
    assert kept.cover_of("rate > 9") == "rate > 1"
    assert {*kept} == {"rate > 1", "zone = 1"}


def test_a_covered_filter_comes_back_only_where_nothing_else_covers_it() -> None:
    kept = _set("rate > 1", "rate > 5", "rate > 9")
    assert kept.remove("rate > 5") == Change()
    assert kept.remove("rate > 1") == Change(("rate > 9",), ("rate > 1",))
    also = _set("rate > 1", "rate > 2 AND zone = 1", "zone = 1")
    assert also.remove("rate > 1") == Change((), ("rate > 1",))
    assert also.cover_of("rate > 2 AND zone = 1") == "zone = 1"


def test_of_two_that_say_the_same_the_first_stays() -> None:
    kept = _set("rate > 1")
    assert kept.add("same", parse("NOT rate <= 1 AND EXISTS rate")) == Change()
    assert kept.remove("rate > 1") == Change(("same",), ("rate > 1",))


def test_filters_of_any_subject_cover_those_of_one() -> None:
    kept = _set("subject = 'Speed' AND rate > 5", "subject = 'Place'")
    change = kept.add("", parse(""))
    assert change == Change(("",), ("subject = 'Speed' AND rate > 5", "subject = 'Place'"))
    assert kept.add("Tram", parse("Tram")) == Change()


def test_what_is_kept_already_or_not_at_all_changes_nothing() -> None:
    kept = _set("rate > 1")
    assert kept.add("rate > 1", parse("rate > 1")) == Change()
    assert kept.remove("unknown") == Change()
    assert len(kept) == 1


def test_beyond_the_most_that_are_compared_covered_ones_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_COMPARED", 3)
    kept = Maximal[int]()
    for number in range(5):
        kept.add(number, parse(f"zone = {number}"))
    kept.add(9, parse("zone = 4 AND rate > 1"))
    assert 9 in {*kept}, "more native subscriptions than needed, never fewer"
    assert kept.skipped > 0
