"""The match index: which destinations an event goes to."""

import random

import pytest
from fes.filter import parse
from fes.filter.index import MatchIndex
from fes.filter.index.bounds import Bounds
from fes.filter.index.intervals import Intervals
from fes.filter.index.route import routes
from fes.filter.index.spans import Span
from fes.model import Event


def _index(*filters: tuple[str, str]) -> MatchIndex[str]:
    index = MatchIndex[str]()
    for destination, text in filters:
        index.add(destination, parse(text))
    return index


def _goes(index: MatchIndex[str], subject: str = "Speed", /, **parameters: object) -> str:
    event = Event.of(subject, parameters, {"Priority": 3})
    return "".join(sorted(index.destinations(event)))


def test_an_event_goes_where_a_filter_is_true() -> None:
    index = _index(
        ("a", "subject = 'Speed' AND zone = 1 AND rate > 30"),
        ("b", "subject = 'Speed' AND zone = 1 AND rate BETWEEN 50 AND 60"),
        ("c", "zone IN (1, 2) AND rate <= 40"),
        ("d", "licence STARTS WITH 'FES'"),
        ("e", "@Priority = 3 AND subject = 'Speed'"),
        ("f", "rate * 2 > 100 OR licence = 'X'"),
        ("g", ""),
        ("h", "FALSE"),
    )
    assert _goes(index, zone=1, rate=35) == "aceg"
    assert _goes(index, zone=1, rate=55.0) == "abefg"
    assert _goes(index, zone=2, rate=40) == "ceg"
    assert _goes(index, "Tram", zone=3, licence="FES1") == "dg"
    assert _goes(index, "Tram", licence="X") == "fg"


def test_one_true_and_text_are_three_keys() -> None:
    index = _index(("a", "x = 1"), ("b", "x = TRUE"), ("c", "x = '1'"), ("d", "x = 1.0"))
    assert _goes(index, x=1) == "ad"
    assert _goes(index, x=1.0) == "ad"
    assert _goes(index, x=True) == "b"
    assert _goes(index, x="1") == "c"
    assert _goes(index, x=b"1") == ""
    assert _goes(index, x=float("nan")) == ""


def test_integers_beyond_a_double_are_told_apart() -> None:
    index = _index(("a", "x = 9007199254740993"), ("b", "x > 9007199254740992.0"))
    assert _goes(index, x=9007199254740993) == "ab"
    assert _goes(index, x=9007199254740992) == ""


def test_open_and_closed_ends_differ() -> None:
    index = _index(
        ("a", "x > 5"), ("b", "x >= 5"), ("c", "x < 5"), ("d", "x <= 5"),
        ("e", "x > 4 AND x < 5"), ("f", "x >= 4 AND x <= 5"), ("g", "x > 5 AND x < 5"),
    )  # fmt: skip
    assert _goes(index, x=5) == "bdf"
    assert _goes(index, x=4.5) == "cdef"
    assert _goes(index, x=4) == "cdf"
    assert _goes(index, x="5") == ""


def test_what_is_removed_is_gone_and_what_it_hid_comes_back() -> None:
    index = _index(("a", "rate > 30"), ("a", "rate > 50"), ("a", "rate > 30"))
    index.remove("a", parse("rate > 30"))
    assert _goes(index, rate=40) == "a"
    index.remove("a", parse("rate > 30"))
    assert _goes(index, rate=40) == ""
    assert _goes(index, rate=60) == "a"
    index.remove("a", parse("rate > 50"))
    assert len(index) == 0
    assert _goes(index, rate=60) == ""


@pytest.mark.parametrize("text", ["rate > 30", "Speed", "zone = 1 AND rate * 2 > 3", "a = 1"])
def test_what_was_not_added_cannot_be_removed(text: str) -> None:
    with pytest.raises(KeyError):
        _index(("b", "b = 1")).remove("a", parse(text))


def test_a_filter_of_too_many_alternatives_is_tested_whole() -> None:
    many = " AND ".join(f"(a{number} = 1 OR b{number} = 1)" for number in range(20))
    assert any(route.rest for route in routes(parse(many)))
    index = _index(("a", many))
    assert _goes(index, **{f"a{number}": 1 for number in range(20)}) == "a"
    assert _goes(index, **{f"a{number}": 1 for number in range(19)}) == ""


def test_bounds_keep_one_entry_for_each_item() -> None:
    bounds = Bounds[str](lower=True)
    for low in (5, 3, 9):
        bounds.add("a", Span(text=False, low=(low, 0), high=None))
    assert [*bounds.met((4, 0))] == [["a"]]
    bounds.remove("a", Span(text=False, low=(3, 0), high=None))
    assert [*bounds.met((4, 0))] == [[]]
    assert [*bounds.met((5, 0))] == [["a"]]


@pytest.mark.parametrize("order", ["rising", "falling", "any"])
def test_a_tree_of_intervals_stays_shallow_and_exact(order: str) -> None:
    chance = random.Random(7)
    lows = list(range(2000))
    if order != "rising":
        lows.reverse()
    if order == "any":
        chance.shuffle(lows)
    tree = Intervals[int]()
    spans = {low: Span(text=False, low=(low, 0), high=(low + 3, -1)) for low in lows}
    for low in lows:
        tree.add(low, spans[low])
        if low % 10 == 0:
            [*tree.met((low, 0))]  # which puts in what is new, one by one
    for low in lows[::3]:
        tree.remove(low, spans.pop(low))
    for value in range(0, 2003, 7):
        found = [item for items in tree.met((value, 0)) for item in items]
        assert sorted(found) == [low for low in sorted(spans) if low <= value < low + 3]
        assert len([*tree.met((value, 0))]) <= 40
