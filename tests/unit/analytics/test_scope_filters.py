"""The judge's own reader of filters agrees with the federation's, of which it knows nothing."""

from itertools import product
from typing import Any

import pytest
from analytics.scopes import truth
from analytics.scopes.filters import Content, Filter, UnreadableError
from fes import filter as federation
from fes.model import Event

TEXTS = (
    "",
    "Speed",
    "TRUE",
    "subject = 'Speed'",
    "subject IN ('Speed', 'Bus') AND n > 1",
    "NOT (n > 1)",
    "n <> 2",
    "n BETWEEN 1 AND 2 OR w = 'a''b'",
    "n NOT BETWEEN 1 AND 2",
    "n * 2 + 1 >= m / 2 - -1",
    "n / 0 > 1",
    "7 / 2 = 3 AND -7 / 2 = -3",
    "w LIKE 'a%' AND w NOT LIKE '_x%' ESCAPE 'x'",
    "w STARTS WITH 'a' OR w ENDS WITH 'b' OR w CONTAINS ''''",
    "w NOT IN ('a', 3)",
    "b",
    "NOT b AND m IS NULL",
    "b IS NOT TRUE",
    "(n > 1) IS NOT TRUE",
    "((n > 1) OR (m < 2.5)) IS FALSE",
    "EXISTS w",
    "m IS NOT NULL",
    '"odd name" = 1 OR b = TRUE',
    "WITHIN(52.66, -8.62, 500)",
    "n = w OR n > 'a'",
)
EVENTS: tuple[dict[str, Any], ...] = (
    {},
    {"n": 1},
    {"n": 2, "m": 2.5, "w": "ab", "b": True},
    {"n": 3.0, "w": "a'b", "b": False},
    {"m": float("nan"), "w": "xyb", "lat": 52.66, "lon": -8.62},
    {"odd name": 1, "n": -(2**63), "lat": 52.7, "lon": -8.62},
)


@pytest.mark.parametrize("text", TEXTS)
def test_a_filter_has_the_truth_that_the_federation_finds(text: str) -> None:
    own, other = Filter.of(text), federation.Filter.of(text)
    for subject, parameters in product(("Speed", "Bus"), EVENTS):
        found = own.test(Content(subject, parameters))
        assert found in (truth.TRUE, truth.FALSE, truth.UNKNOWN)
        matches = other.matches(Event.of(subject, **parameters))
        assert (found == truth.TRUE) is matches, (subject, parameters)
        for partly in (Content(subject), Content(None), Content(None, parameters)):
            assert own.test(partly) & found, "what is not known excludes no truth that it may have"


def test_a_subject_decides_where_parameters_are_not_known() -> None:
    order = Filter.of("subject = 'Order' AND number > 0")
    assert order.test(Content("Quote")) & truth.TRUE == 0
    assert order.test(Content("Order")) == truth.UNDECIDED


@pytest.mark.parametrize("text", ["n >", "n > 1 m", "(n > 1", "n LIKE 3", "WITHIN(1, 2)", "'a"])
def test_what_is_no_filter_is_unreadable(text: str) -> None:
    with pytest.raises(UnreadableError):
        Filter.of(text)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "n" + ")" * 5000 + " = 1",
        "(" * 5000 + "n = 1" + ")" * 5000,
        "n = " + "(" * 5000 + "1",
    ],
)
def test_a_filter_with_too_many_parentheses_is_beyond_the_judge_and_does_not_end_it(
    text: str,
) -> None:
    with pytest.raises(UnreadableError):
        Filter.of(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NOT " * 5000 + "n = 1", truth.TRUE),
        ("n = " + "- " * 5001 + "1", truth.FALSE),
        ("n IN (" + "2, " * 5000 + "1)", truth.TRUE),
        ("n = 2 OR " * 5000 + "n = 1", truth.TRUE),
        ("n = 1 AND " * 5000 + "n = 1", truth.TRUE),
        ("n = 1" + " + 1 - 1" * 5000, truth.TRUE),
    ],
    ids=["not", "signs", "in", "or", "and", "sum"],
)
def test_a_long_filter_is_evaluated_without_recursion(text: str, expected: int) -> None:
    assert Filter.of(text).test(Content("Speed", {"n": 1})) == expected
