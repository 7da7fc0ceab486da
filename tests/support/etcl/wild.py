"""Strategies of any tree and any value, most of which make no sense together."""

import math
from enum import Enum
from typing import Any

from eventservices.cns.etcl import char_value, enum_value, struct_value, union_value
from eventservices.cns.etcl.idl import TAGS
from eventservices.cns.etcl.tree import (
    RELATIONS,
    And,
    Arithmetic,
    Bare,
    Case,
    Comparison,
    Component,
    Constant,
    Default,
    Exists,
    Expression,
    Implicit,
    In,
    Index,
    Member,
    Named,
    Not,
    Or,
    Position,
    Sign,
    Substring,
)
from eventservices.cns.event import AnyEvent
from eventservices.cns.value import LongLong
from hypothesis import strategies as st


class Colour(Enum):
    RED = 1
    GREEN = 2


NAMES = ("a", "b", "name", "value", "in", "header", "type_name")
LABELS = ("RED", "GREEN")
NUMBERS = (0, 1, 2, -3, 97, 0.5, 1.0, -0.0, 2**53 + 1, 2**63, 2**64 - 1, -(2**63), 1e300, 5e-324)
TEXTS = ("", "a", "b", "ab", "abc", "it's", "\\", "RED", "long", "\n")
ODD = (math.nan, math.inf, -math.inf, 2**70, LongLong(1), Colour.RED, b"ab", None, "\ud800")

names = st.sampled_from(NAMES)
steps = st.one_of(
    st.sampled_from((*NAMES, *NAMES, "time")).map(Member),
    names.map(Named),
    st.sampled_from(("odd name", "_d", "a")).map(Named),
    st.integers(0, 3).map(Position),
    st.integers(0, 3).map(Index),
    st.sampled_from((None, 0, 1, 2, -3, 97, "a", "name", Bare("RED"), Bare("a"))).map(Case),
)
endings = st.builds(Implicit, st.sampled_from(("_length", "_d", "_type_id", "_repos_id")))
ROOTS = (
    (Member("filterable_data"),),
    (Member("header"), Member("variable_header")),
    (Member("remainder_of_body"),),
    (Position(0), Position(0), Position(0)),
)
prefixes = st.one_of(st.just(()), st.just(()), st.sampled_from(ROOTS))
VARIABLES = (*NAMES, "domain_name", "event_name", "event_type", "fixed_header", "curtime")
components = st.builds(
    lambda name, before, middle, after: Component(name, (*before, *middle, *after)),
    st.none() | st.sampled_from(VARIABLES),
    prefixes,
    st.lists(steps, max_size=2),
    st.lists(endings, max_size=1) | st.just([]),
)
near = st.builds(Component, names, st.just(()))
constants = st.builds(Constant, st.sampled_from((*NUMBERS, *TEXTS, True, False)))
leaves = st.one_of(
    components,
    near,
    near,
    constants,
    constants,
    st.sampled_from(LABELS).map(Bare),
    components.map(Exists),
    components.map(Default),
)


def any_event(value: Any) -> Any:
    return AnyEvent(value)


def _arithmetic(first: Expression, signs: tuple[Sign, Sign], rest: list[Any]) -> Arithmetic:
    return Arithmetic(first, tuple((signs[index % 2], item) for index, item in enumerate(rest)))


def _inner(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Comparison, inner, st.sampled_from(RELATIONS), inner),
        st.builds(Comparison, near, st.sampled_from(RELATIONS), constants),
        st.builds(
            _arithmetic,
            inner,
            st.sampled_from((("+", "-"), ("*", "/"))),
            st.lists(inner, min_size=1, max_size=2),
        ),
        st.builds(Substring, inner, inner),
        st.builds(In, inner, components),
        inner.map(Not),
        several.map(And),
        several.map(Or),
    )


wild_trees = st.recursive(leaves, _inner, max_leaves=8)

simple = st.one_of(
    st.sampled_from((*NUMBERS, *TEXTS, *ODD, True, False)),
    st.sampled_from(LABELS).map(enum_value),
    st.just(enum_value("RED", "Colour")),
    st.sampled_from("ab").map(char_value),
)
pairs = st.builds(lambda name, value: {"name": name, "value": value}, names, simple)
discriminators = st.sampled_from((0, 1, 2, True, char_value("a"), enum_value("RED"), "a", None))


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    others = st.none() | st.lists(discriminators, max_size=2)
    return st.one_of(
        st.dictionaries(names, inner, max_size=3),
        st.dictionaries(names, inner, max_size=3).map(lambda items: struct_value("long", items)),
        st.lists(inner, max_size=3),
        st.lists(pairs, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        inner.map(any_event),
        st.builds(
            lambda d, member, value, labels, others: union_value(
                d, member, value, labels=labels, others=others
            ),
            discriminators, names, inner, st.lists(discriminators, max_size=2), others,
        ),
        st.dictionaries(st.sampled_from(sorted(TAGS)), inner, max_size=3),
    )  # fmt: skip


wild_values = st.recursive(simple, _containers, max_leaves=6)
