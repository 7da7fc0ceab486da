"""Strategies with few names and few values, so that filters often agree and often do not."""

import math
from typing import Any

import pytest
from fes.filter import Condition
from fes.filter.language.tree import (
    AFFIXES,
    RELATIONS,
    Affixed,
    Among,
    And,
    Arithmetic,
    Attribute,
    Comparison,
    Constant,
    Exists,
    IsTrue,
    Like,
    Negative,
    Not,
    Or,
    Parameter,
    Subject,
    Truth,
)
from fes.model import Event
from hypothesis import strategies as st

NAMES = ("a", "b", "c", "odd name")
NUMBERS = (0, 1, 2, -3, 1.0, 0.5, -0.0, 2**53 + 1, 2.0**53, 2**63 - 1, 1e300)
TEXTS = ("", "a", "ab", "abc", "b", "a%", "a_b", "it's")

constants = st.builds(Constant, st.sampled_from((*NUMBERS, *TEXTS, True, False)))
ordered = st.builds(Constant, st.sampled_from((*NUMBERS, *TEXTS)))
references = st.one_of(
    st.just(Subject()),
    st.sampled_from(NAMES).map(Parameter),
    st.sampled_from(("P", "AND")).map(Attribute),
)
numbers = st.one_of(st.sampled_from(NAMES).map(Parameter), st.sampled_from(NUMBERS).map(Constant))
calculations = st.recursive(
    numbers,
    lambda inner: st.one_of(
        st.builds(Arithmetic, inner, st.sampled_from("+-*/"), inner),
        st.sampled_from(NAMES).map(Parameter).map(Negative),
    ),
    max_leaves=4,
)
operands = st.one_of(references, references, calculations)
patterns = st.text(alphabet="ab%_!", max_size=5)
leaves = st.one_of(
    st.builds(Comparison, references, st.sampled_from(RELATIONS), ordered),
    st.builds(Comparison, references, st.sampled_from(("=", "<>")), constants),
    st.builds(Comparison, operands, st.sampled_from(RELATIONS), operands),
    st.builds(Among, references, st.lists(constants, min_size=1, max_size=4).map(tuple)),
    st.builds(Affixed, references, st.sampled_from(AFFIXES), st.sampled_from(TEXTS)),
    st.builds(Like, references, patterns.map(lambda text: text.replace("!", "!!")), st.just("!")),
    st.builds(Exists, references),
    st.booleans().map(Truth),
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        inner.map(Not),
        inner.map(IsTrue),
        st.lists(inner, min_size=2, max_size=3).map(tuple).map(And),
        st.lists(inner, min_size=2, max_size=3).map(tuple).map(Or),
    ),
    max_leaves=8,
)
values = st.sampled_from((*NUMBERS, *TEXTS, True, False, math.nan, math.inf, b"a"))


def event_of(subject: str, parameters: dict[str, Any], attributes: dict[str, Any]) -> Event:
    return Event.of(subject, parameters, attributes)


events_of = st.builds(
    event_of,
    st.sampled_from(("a", "ab", "abc")),
    st.dictionaries(st.sampled_from(NAMES), values),
    st.dictionaries(st.sampled_from(("P", "AND")), values),
)


@pytest.fixture(scope="session")
def conditions() -> st.SearchStrategy[Condition]:
    return trees


@pytest.fixture(scope="session")
def tests_of_values() -> st.SearchStrategy[Condition]:
    return leaves


@pytest.fixture(scope="session")
def events() -> st.SearchStrategy[Event]:
    return events_of
