import math
from typing import Any

import pytest
from eventservices.cns.etcl import (
    component_text,
    identifier,
    literal,
    parse,
    property_component,
    string_literal,
    to_text,
)
from eventservices.cns.etcl.tree import Component, Constant, Member, Named
from eventservices.cns.event import structured_event
from eventservices.cns.value import LongLong
from eventservices.errors import MalformedError
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", "TRUE"),
        ("((($a)))", "$a"),
        ("($a and $b) or $c", "$a and $b or $c"),
        ("$a and ($b or $c)", "$a and ($b or $c)"),
        ("($a and $b) and $c", "($a and $b) and $c"),
        ("(not $a) == 1", "not $a == 1"),
        ("not ($a == 1)", "not ($a == 1)"),
        ("not (not $a)", "not (not $a)"),
        ("(1+2)*3-(4-5)", "(1 + 2) * 3 - (4 - 5)"),
        ("(1*2)+3", "1 * 2 + 3"),
        ("(1+2)+3", "(1 + 2) + 3"),
        ("('a'~$b) in $c", "'a' ~ $b in $c"),
        ("'a'~($b in $c)", "'a' ~ ($b in $c)"),
        ("('a' in $b) in $c", "('a' in $b) in $c"),
        ("('a' ~ $b) ~ $c", "('a' ~ $b) ~ $c"),
        ("($a == 1) == ($b == 2)", "($a == 1) == ($b == 2)"),
        ("exist a and default $.u._d", "exist $a and default $.u._d"),
        ("$.in.(+1)(x)[0]", r"$.\in.(1)(x)[0]"),
        (r"$\max == \first", r"$\max == \first"),
        ("$a('x')('odd name')", "$a(x)('odd name')"),
        (r"'it\'s' ~ '\\'", r"'it\'s' ~ '\\'"),
        ("10e+2 / .5", "1000.0 / 0.5"),
        ("1e300", "1e+300"),
        ("true or false", "TRUE or FALSE"),
    ],
)
def test_a_constraint_is_written_with_no_parenthesis_too_many(text: str, written: str) -> None:
    assert to_text(parse(text).tree) == written
    assert parse(written).tree == parse(text).tree


@given(
    st.text(max_size=99)
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.booleans()
)
def test_a_literal_is_read_back_as_the_value(value: Any) -> None:
    assert parse(literal(value)).tree == Constant(value)


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, 2**64, -(2**63) - 1, None, b"a", [1], "\ud800"]
)
def test_what_has_no_literal_is_refused(value: Any) -> None:
    with pytest.raises(MalformedError):
        literal(value)


def test_literals_of_pythons_own_subtypes_are_plain() -> None:
    assert literal(LongLong(5)) == "5"
    assert string_literal("it's \\") == r"'it\'s \\'"


@pytest.mark.parametrize("name", ["", "1a", "_a", "a b", "größe", "a-b", "\\a", "a\n"])
def test_what_is_no_identifier_is_refused(name: str) -> None:
    with pytest.raises(MalformedError):
        identifier(name)
    with pytest.raises(MalformedError):
        to_text(Component(None, (Member(name),)))


@pytest.mark.parametrize("name", ["rate", "in", "max", "TRUE", "a b", "it's", "\\", "_x", "", "é"])
def test_every_property_can_be_asked_for(name: str) -> None:
    event = structured_event(("d", "t"), filterable_data={name: 5})

    assert parse(f"{property_component(name)} == 5").matches(event)
    assert parse(f"exist {property_component(name)}").matches(event)
    assert not parse(f"exist {property_component(name + 'x')}").matches(event)


def test_a_component_alone_is_written_too() -> None:
    assert component_text(Component("in", (Named("a b"),))) == r"$\in('a b')"
