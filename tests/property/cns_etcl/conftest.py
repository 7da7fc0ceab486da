"""Strategies of constraints that mostly make sense, and of events that mostly have what they ask.

Each name has a kind: `n` and `m` are numbers, `s` and `t` are strings, and so on.
"""

from typing import Any

import pytest
from eventservices.cns.etcl import char_value, enum_value, struct_value, union_value
from eventservices.cns.etcl.tree import (
    EQUALITIES,
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
    Sign,
    Substring,
)
from eventservices.cns.event import StructuredEvent, structured_event
from eventservices.cns.event_type import EventType
from hypothesis import strategies as st
from support.etcl.wild import LABELS, NUMBERS, TEXTS, any_event, wild_trees, wild_values

FEW = (0, 1, 2, -3, 0.5, 2.0)


def _component(name: str, *steps: Any) -> st.SearchStrategy[Component]:
    header = (Member("header"), Member("variable_header"))
    return st.sampled_from((
        Component(name, steps),
        Component(name, steps),
        Component(name, steps),
        Component(None, (Member(name), *steps)),
        Component(None, (Member("filterable_data"), Named(name), *steps)),
        Component(None, (*header, Named(name), *steps)),
    ))  # fmt: skip


def _any_of(*names: str) -> st.SearchStrategy[Component]:
    return st.sampled_from(names).flatmap(_component)


def _arithmetic(first: Expression, signs: tuple[Sign, Sign], rest: list[Any]) -> Arithmetic:
    return Arithmetic(first, tuple((signs[index % 2], item) for index, item in enumerate(rest)))


plain_numbers = st.one_of(
    _any_of("n", "m"),
    st.sampled_from((*FEW, *NUMBERS)).map(Constant),
    st.sampled_from(FEW).map(Constant),
    st.integers(0, 2).flatmap(lambda index: _component("l", Index(index))),
    _component("l", Implicit("_length")),
    st.sampled_from((None, 0, 1, 2, "n")).flatmap(lambda label: _component("u", Case(label))),
    _component("u", Implicit("_d")),
    _component("r", Named("n")),
    _component("c"),
)
numbers = st.recursive(
    plain_numbers,
    lambda inner: st.builds(
        _arithmetic,
        inner,
        st.sampled_from((("+", "-"), ("*", "/"))),
        st.lists(inner, min_size=1, max_size=2),
    ),
    max_leaves=3,
)
strings = st.one_of(
    _any_of("s", "t", "type_name", "event_name"),
    st.sampled_from(TEXTS).map(Constant),
    _component("r", Member("s")),
    _component("r", Implicit("_type_id")),
)
anything = st.one_of(
    _any_of("n", "s", "l", "u", "r", "e"),
    st.sampled_from((0, 1, 2)).flatmap(lambda label: _component("u", Case(label))),
)
tests = st.one_of(
    st.builds(Comparison, numbers, st.sampled_from(RELATIONS), numbers),
    st.builds(Comparison, _any_of("n", "m"), st.sampled_from(RELATIONS), plain_numbers),
    st.builds(Comparison, strings, st.sampled_from(RELATIONS), strings),
    st.builds(
        Comparison, _component("e"), st.sampled_from(sorted(EQUALITIES)),
        st.sampled_from(LABELS).map(Bare),
    ),
    st.builds(Substring, strings, strings),
    st.builds(In, plain_numbers | strings, _component("l")),
    st.builds(Exists, anything),
    st.builds(Default, _component("u") | _component("u", Implicit("_d"))),
    _component("f"),
    st.booleans().map(Constant),
)  # fmt: skip
sensible_trees = st.recursive(
    tests,
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, min_size=2, max_size=3).map(tuple).map(And),
        st.lists(inner, min_size=2, max_size=3).map(tuple).map(Or),
    ),
    max_leaves=5,
)

few = st.sampled_from(FEW)
texts = st.sampled_from(TEXTS)
labels = st.lists(st.integers(0, 2), max_size=2)
KINDS = {
    "n": few | st.sampled_from(NUMBERS),
    "m": few,
    "s": texts,
    "t": texts,
    "l": st.lists(few, max_size=3) | st.lists(texts, max_size=3),
    "u": st.builds(
        lambda d, value, labels, others: union_value(d, "n", value, labels=labels, others=others),
        st.integers(0, 2), few, labels, st.none() | labels,
    ),
    "e": st.sampled_from(LABELS).map(enum_value),
    "f": st.booleans(),
    "c": st.sampled_from("ab").map(char_value),
    "r": st.builds(lambda n, s: struct_value("long", {"n": n, "s": s}), few, texts),
}  # fmt: skip
sensible = st.fixed_dictionaries({}, optional=KINDS)
complete = st.fixed_dictionaries(KINDS)
strange = st.dictionaries(st.sampled_from(sorted(KINDS)), wild_values, max_size=2)
contents = st.one_of(complete, complete, sensible, st.builds(lambda a, b: a | b, complete, strange))


def _structured(kind: str, name: str, header: Any, data: Any, body: Any) -> StructuredEvent:
    return structured_event(
        EventType("a", kind), name, variable_header=header, filterable_data=data, body=body
    )


def _pairs(items: dict[str, Any]) -> list[Any]:
    return [{"name": name, "value": value} for name, value in items.items()]


structured = st.builds(
    _structured,
    st.sampled_from(("abc", "long", "%ANY")),
    st.sampled_from(("", "ab")),
    strange | st.just({}),
    contents,
    wild_values,
)
all_events = st.one_of(
    structured,
    structured,
    contents,
    contents.map(_pairs),
    wild_values,
    structured.map(any_event).map(any_event),
)


@pytest.fixture(scope="session")
def trees() -> st.SearchStrategy[Expression]:
    return st.one_of(sensible_trees, sensible_trees, sensible_trees, wild_trees)


@pytest.fixture(scope="session")
def events() -> st.SearchStrategy[Any]:
    return all_events
