"""Tests of a message selector as text."""

import math

import pytest
from eventservices.jms.properties import PropertyType
from eventservices.jms.selectors import (
    ONE,
    RUN,
    boolean_test,
    like,
    literal,
    number_test,
    presence,
    quoted,
)


def test_constants_and_patterns_match_themselves_only() -> None:
    assert quoted("O'C") == "'O''C'"
    assert like("p", literal("50%_!") + RUN) == "p LIKE '50!%!_!!%' ESCAPE '!'"
    assert like("p", f"a{ONE}", inverse=True) == "p NOT LIKE 'a_'"


def test_presence_and_booleans() -> None:
    assert (presence("p"), presence("p", present=False)) == ("p IS NOT NULL", "p IS NULL")
    assert boolean_test("p", "<>", value=True) == "p <> TRUE"
    assert boolean_test("p", "<", value=True) is None
    assert boolean_test("p", "=", value=1) is None


@pytest.mark.parametrize(
    ("op", "value", "kind", "text"),
    [
        (">", 46, "int", "p > 46.0"),
        ("=", 0, "double", "p = 0.0 OR p = -0.0"),
        (">=", 0, "int", "p >= -0.0"),
        ("<", 1e300, "double", "p < 1E+300"),
        ("<", math.inf, "double", "p < 1E999"),
        (">", 2**53 + 1, "long", "p > 9007199254740993"),
        (">", 2**63, "long", "FALSE"),
        ("<", 2**63, "long", "p IS NOT NULL"),
        (">", 2**53 + 1, "double", "p > 9007199254740992.0"),
        (">=", 2**53 + 1, "double", "p >= 9007199254740994.0"),
        ("<", 2**53 + 1, "double", "p < 9007199254740994.0"),
        ("<=", 2**53 + 1, "double", "p <= 9007199254740992.0"),
        ("<", 0.1, "float", "p <= 0.10000000149011612"),
        ("<>", 0.1, "float", "p IS NOT NULL"),
    ],
)
def test_a_number_is_compared_as_the_broker_reads_it(
    op: str, value: float, kind: PropertyType, text: str
) -> None:
    assert number_test("p", op, value, kind) == text


@pytest.mark.parametrize(("op", "value"), [("LIKE", 1), ("=", "1"), ("=", True), ("=", None)])
def test_what_is_no_comparison_of_numbers_has_no_test(op: str, value: object) -> None:
    assert number_test("p", op, value, "double") is None
