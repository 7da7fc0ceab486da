"""Filters as JMS selectors, which accept at least the same events."""

from dataclasses import replace
from typing import Any, Final

import pytest
from eventservices.jms.properties import PropertyType
from fes.filter import Filter, Term
from fes.filter.translation import selectors as module
from fes.filter.translation.selectors import Selectable, property_test, selector_of

TYPES: Final[dict[str, PropertyType]] = {"rate": "double", "plate": "string", "live": "boolean"}


def text_of(term: Term) -> str | None:
    """Return the test of a property; what is subscribed to applies `place`."""
    if term.name == "place":
        return ""
    kind = TYPES.get(term.name)
    return None if kind is None else property_test(term.name, term.op, term.value, kind)


TERMS: Final = Selectable(text_of, lambda term: term)


@pytest.mark.parametrize(
    ("text", "selector"),
    [
        ("rate > 1 AND plate = 'D'", "plate = 'D' AND rate > 1.0"),
        ("rate > 1 OR live = TRUE", "live = TRUE OR rate > 1.0"),
        ("rate = 0 AND plate = 'D'", "plate = 'D' AND (rate = 0.0 OR rate = -0.0)"),
        ("place = 'x' AND rate > 1", "rate > 1.0"),
        ("place = 'x' OR rate > 1", ""),
        ("rate > 5 AND rate < 4", None),
        ("", ""),
    ],
)
def test_a_filter_is_alternatives_of_what_is_tested(text: str, selector: str | None) -> None:
    found = selector_of(Filter.of(text).tree, TERMS)
    assert (found.text, found.widened) == (selector, ())


def test_what_nothing_applies_is_left_out_and_reported() -> None:
    found = selector_of(Filter.of("rate > 1 AND other > 3").tree, TERMS)
    assert found.text == "rate > 1.0"
    assert "other > 3" in found.widened[0]


def test_more_alternatives_than_a_selector_has_are_widened() -> None:
    text = " OR ".join(f"(plate = 'p{n}' AND rate = {n + 1})" for n in range(4))
    assert selector_of(Filter.of(text).tree, TERMS).widened == ()
    assert selector_of(Filter.of(text).tree, replace(TERMS, max_disjuncts=3)).widened


def test_a_selector_that_is_too_long_is_left_out_and_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "SELECTOR_CHARS", 20)
    assert selector_of(Filter.of("plate = '12345678901'").tree, TERMS).text == ""
    assert selector_of(Filter.of("plate = '12345678901'").tree, TERMS).widened == (
        "a selector of 21 characters is left out",
    )
    assert selector_of(Filter.of("plate = '1234567890'").tree, TERMS).text == "plate = '1234567890'"


@pytest.mark.parametrize(
    ("op", "value", "text"),
    [
        ("EXISTS", None, "plate IS NOT NULL"),
        ("NOT EXISTS", None, "plate IS NULL"),
        ("IN", ("a", "b"), "plate IN ('a', 'b')"),
        ("IN", ("a", 1), None),
        ("=", 1, None),
        ("<", "a", None),
        ("LIKE", ("D_%", ""), "plate LIKE 'D_%'"),
        ("NOT LIKE", ("50!%", "!"), "plate NOT LIKE '50!%' ESCAPE '!'"),
        ("CONTAINS", "a_b", "plate LIKE '%a!_b%' ESCAPE '!'"),
        ("NOT ENDS WITH", "a", "plate NOT LIKE '%a'"),
    ],
)
def test_a_property_of_type_string_has_the_tests_of_strings(
    op: str, value: Any, text: str | None
) -> None:
    assert property_test("plate", op, value, "string") == text
