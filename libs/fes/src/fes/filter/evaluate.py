"""Evaluation.

A filter is compiled once into closures, and then costs about a microsecond an event.
"""

from collections.abc import Callable
from typing import Any

from fes.filter.language.patterns import wildcard_of
from fes.filter.language.tree import (
    Affixed,
    Among,
    And,
    Arithmetic,
    Attribute,
    Comparison,
    Condition,
    Constant,
    Exists,
    IsTrue,
    Leaf,
    Like,
    Negative,
    Not,
    Operand,
    Or,
    Parameter,
    Relation,
    Subject,
    Truth,
    Within,
)
from fes.filter.place import inside_of, position_of
from fes.filter.values import Kind, calculate, compare, comparer, kind_of, negate
from fes.model.event import Event

Test = Callable[[Event], bool | None]
Getter = Callable[[Event], Any]

_INVERTED = {True: False, False: True, None: None}


def compile_filter(tree: Condition) -> Test:
    """Return a function that returns whether the filter is true, false or unknown for an event.

    Args:
        tree: From `parse`.

    Returns:
        True, False, or None for unknown; only for True the event is delivered. The function never
        raises.

    Source:
        design, section 5: three-valued logic as in SQL-92.
    """
    match tree:
        case And(items):
            return _all([compile_filter(item) for item in items])
        case Or(items):
            return _any([compile_filter(item) for item in items])
        case Not(item):
            return _inverse(compile_filter(item))
        case IsTrue(item):
            return _certain(compile_filter(item))
        case _:
            return _leaf(tree)


def _leaf(tree: Leaf) -> Test:
    match tree:
        case Truth(value):
            return lambda _: value
        case Exists(reference):
            get = getter(reference)
            return lambda event: get(event) is not None
        case Comparison(left, relation, right):
            return _comparison(left, relation, right)
        case Among(operand, values):
            return _among(getter(operand), values)
        case Within():
            return _within(tree)
        case Affixed() | Like():
            return _string_test(tree)


def _all(tests: list[Test]) -> Test:
    def run(event: Event) -> bool | None:
        result: bool | None = True
        for test in tests:
            outcome = test(event)
            if outcome is False:
                return False
            if outcome is None:
                result = None
        return result

    return run


def _any(tests: list[Test]) -> Test:
    def run(event: Event) -> bool | None:
        result: bool | None = False
        for test in tests:
            outcome = test(event)
            if outcome is True:
                return True
            if outcome is None:
                result = None
        return result

    return run


def _inverse(test: Test) -> Test:
    return lambda event: _INVERTED[test(event)]


def _certain(test: Test) -> Test:
    return lambda event: test(event) is True


def _within(test: Within) -> Test:
    inside = inside_of(test)

    def run(event: Event) -> bool | None:
        position = position_of(event)
        return None if position is None else inside(*position)

    return run


def _comparison(left: Operand, relation: Relation, right: Operand) -> Test:
    if isinstance(left, Subject) and relation == "=" and isinstance(right, Constant):
        if isinstance(right.value, str):
            subject = right.value
            return lambda event: event.subject == subject
    elif isinstance(right, Constant) and kind_of(right.value) == "number":
        return _number_test(getter(left), relation, right.value)
    first, second = getter(left), getter(right)
    return lambda event: compare(first(event), relation, second(event))


def _number_test(get: Getter, relation: Relation, number: Any) -> Test:
    holds = comparer(relation)

    def run(event: Event) -> bool | None:
        value = get(event)
        kind = value.__class__
        if kind is int or (kind is float and value - value == 0):  # finite, so it is ordered
            return holds(value, number)
        return compare(value, relation, number)

    return run


def _among(get: Getter, values: tuple[Constant, ...]) -> Test:
    sets: dict[Kind | None, set[Any]] = {}
    for constant in values:
        sets.setdefault(kind_of(constant.value), set()).add(constant.value)
    otherwise = None if len(sets) > 1 else False

    def run(event: Event) -> bool | None:
        value = get(event)
        wanted = sets.get(kind_of(value)) if value is not None else None
        if wanted is None:
            return None
        return True if value in wanted else otherwise

    return run


def _string_test(test: Affixed | Like) -> Test:
    get, holds = getter(test.operand), _string_predicate(test)

    def run(event: Event) -> bool | None:
        value = get(event)
        return holds(value) if isinstance(value, str) else None

    return run


def _string_predicate(test: Affixed | Like) -> Callable[[str], bool]:
    if isinstance(test, Like):
        return wildcard_of(test).matches
    text = test.text
    if test.affix == "STARTS WITH":
        return lambda value: value.startswith(text)
    if test.affix == "ENDS WITH":
        return lambda value: value.endswith(text)
    return lambda value: text in value


def getter(operand: Operand) -> Getter:
    """Return a function that returns an operand's value; None where an event has none."""
    match operand:
        case Subject():
            return lambda event: event.subject
        case Parameter(name):
            return _parameter(name)
        case Attribute(name):
            return lambda event: event.attribute(name)
        case Constant(value):
            return lambda _: value
        case Negative(inner):
            get = getter(inner)
            return lambda event: negate(get(event))
        case Arithmetic(left, sign, right):
            first, second = getter(left), getter(right)
            return lambda event: calculate(first(event), sign, second(event))


def _parameter(name: str) -> Getter:
    def get(event: Event) -> Any:
        for field in event.parameters:
            if field.id == name:
                return field.value
        return None

    return get
