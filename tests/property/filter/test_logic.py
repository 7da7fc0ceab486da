"""Laws of three-valued logic, evaluation, canonical text and covering."""

import math
import re
from fractions import Fraction
from typing import Any

from fes.errors import FilterError
from fes.filter import Condition, canonical, compile_filter, covers, parse
from fes.filter.normal import normalise
from fes.filter.text import to_text
from fes.filter.tree import (
    Among,
    And,
    Arithmetic,
    Attribute,
    Comparison,
    Constant,
    Exists,
    Like,
    Negative,
    Not,
    Or,
    Parameter,
    Truth,
)
from fes.model import Event
from hypothesis import given, settings
from hypothesis import strategies as st

FEW = settings(max_examples=300, deadline=None)
Trees = st.SearchStrategy[Condition]
Events = st.SearchStrategy[Event]


def slowly(tree: Any, event: Event) -> Any:
    """Evaluate by the book, one node at a time."""
    match tree:
        case Truth(value):
            return value
        case And(items) | Or(items):
            return _joined([slowly(item, event) for item in items], decisive=isinstance(tree, Or))
        case Not(item):
            return {True: False, False: True, None: None}[slowly(item, event)]
        case Exists(reference):
            return _value(reference, event) is not None
    return _tested(tree, event)


def _joined(results: list[bool | None], *, decisive: bool) -> bool | None:
    if decisive in results:
        return decisive
    return None if None in results else not decisive


def _tested(tree: Any, event: Event) -> bool | None:
    match tree:
        case Comparison(left, relation, right):
            return _compare(_value(left, event), relation, _value(right, event))
        case Among(operand, constants):
            value = _value(operand, event)
            results = [_compare(value, "=", constant.value) for constant in constants]
            return _joined(results, decisive=True)
        case Like(operand, pattern, escape):
            return _fullmatch(_regex(pattern, escape), _value(operand, event))
    shape = {"STARTS WITH": "{}.*", "ENDS WITH": ".*{}", "CONTAINS": ".*{}.*"}[tree.affix]
    return _fullmatch(shape.format(re.escape(tree.text)), _value(tree.operand, event))


def _value(operand: Any, event: Event) -> Any:
    match operand:
        case Constant(value):
            return value
        case Parameter(name):
            return {field.id: field.value for field in event.parameters}.get(name)
        case Attribute(name):
            return {field.id: field.value for field in event.attributes}.get(name)
        case Negative(inner):
            return _calculate(0, "-", _value(inner, event), negated=True)
        case Arithmetic(left, sign, right):
            return _calculate(_value(left, event), sign, _value(right, event))
    return event.subject


def _compare(left: Any, relation: str, right: Any) -> bool | None:
    if _sort(left) is None or _sort(left) != _sort(right):
        return None
    if relation == "=":
        return bool(left == right)
    if relation == "<>":
        return bool(left != right)
    if isinstance(left, bool) or left != left or right != right:  # noqa: PLR0124 - NaN
        return None
    return bool(
        {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[relation]
    )


def _sort(value: Any) -> type | None:
    if isinstance(value, bool | str):
        return type(value)
    return float if isinstance(value, int | float) else None


def _fullmatch(pattern: str, value: Any) -> bool | None:
    return bool(re.fullmatch(pattern, value, re.DOTALL)) if isinstance(value, str) else None


def _regex(pattern: str, escape: str) -> str:
    if not pattern:
        return ""
    if pattern[0] == escape:
        return re.escape(pattern[1]) + _regex(pattern[2:], escape)
    first = {"%": ".*", "_": "."}.get(pattern[0], re.escape(pattern[0]))
    return first + _regex(pattern[1:], escape)


def _calculate(left: Any, sign: str, right: Any, *, negated: bool = False) -> Any:
    if _sort(left) is not float or _sort(right) is not float:
        return None
    if negated:
        result = -right
    elif isinstance(left, int) and isinstance(right, int):
        if sign == "/" and right == 0:
            return None
        result = {"+": left + right, "-": left - right, "*": left * right}.get(sign)
        if result is None:
            result = math.trunc(Fraction(left, right))
    else:
        left, right = float(left), float(right)
        if sign == "/" and right == 0:
            return None
        results = {"+": left + right, "-": left - right, "*": left * right}
        result = left / right if sign == "/" else results[sign]
    fits = isinstance(result, float) or -(2**63) <= result < 2**63
    return result if fits else None


@FEW
@given(data=st.data())
def test_the_compiled_filter_agrees_with_the_slow_one(
    data: st.DataObject, conditions: Trees, events: Events
) -> None:
    tree, event = data.draw(conditions), data.draw(events)
    assert compile_filter(tree)(event) is slowly(tree, event)


@FEW
@given(data=st.data())
def test_not_twice_is_nothing_and_de_morgan_holds(
    data: st.DataObject, conditions: Trees, events: Events
) -> None:
    one, other = data.draw(conditions), data.draw(conditions)
    event = data.draw(events)
    assert compile_filter(Not(Not(one)))(event) is compile_filter(one)(event)
    inverted = compile_filter(Not(And((one, other))))(event)
    assert inverted is compile_filter(Or((Not(one), Not(other))))(event)


@FEW
@given(data=st.data())
def test_the_normal_form_keeps_all_three_values(
    data: st.DataObject, conditions: Trees, events: Events
) -> None:
    tree, event = data.draw(conditions), data.draw(events)
    normal = normalise(tree)
    assert compile_filter(normal)(event) is compile_filter(tree)(event)
    assert compile_filter(normalise(Not(tree)))(event) is compile_filter(Not(tree))(event)
    assert normalise(normal) == normal


@FEW
@given(data=st.data())
def test_the_canonical_text_parses_to_the_normal_form(
    data: st.DataObject, conditions: Trees
) -> None:
    tree = data.draw(conditions)
    assert parse(canonical(tree)) == normalise(tree)
    assert canonical(parse(canonical(tree))) == canonical(tree)


@FEW
@given(data=st.data())
def test_text_and_tree_say_the_same(data: st.DataObject, conditions: Trees, events: Events) -> None:
    tree, event = data.draw(conditions), data.draw(events)
    again = parse(to_text(tree))
    assert to_text(again) == to_text(tree)
    assert compile_filter(again)(event) is compile_filter(tree)(event)


@FEW
@given(data=st.data())
def test_what_covers_a_filter_is_true_wherever_it_is(
    data: st.DataObject, conditions: Trees, tests_of_values: Trees, events: Events
) -> None:
    wider = data.draw(st.one_of(conditions, tests_of_values))
    narrower = data.draw(st.one_of(conditions, tests_of_values, st.just(And((wider, wider)))))
    happened = data.draw(st.lists(events, min_size=1, max_size=8))
    if covers(wider, narrower):
        accepts, asks = compile_filter(wider), compile_filter(narrower)
        assert all(accepts(event) is True for event in happened if asks(event) is True)


@FEW
@given(data=st.data())
def test_a_filter_covers_itself_and_what_is_added_to_it(
    data: st.DataObject, conditions: Trees
) -> None:
    tree, more = data.draw(conditions), data.draw(conditions)
    assert covers(tree, tree)
    assert covers(Or((tree, more)), tree)


@settings(max_examples=1000, deadline=None)
@given(text=st.text(alphabet="ab1.'\"@()=<>-+*/, \nNOTRANDIKEé", max_size=40))
def test_any_text_is_a_filter_or_a_filter_error(text: str) -> None:
    try:
        tree = parse(text)
    except FilterError:
        return
    assert parse(canonical(tree)) == normalise(tree)
