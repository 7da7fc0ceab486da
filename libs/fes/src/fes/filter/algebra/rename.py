"""Filters with other names, for a side where fields are named differently."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from fes.filter.language.text import to_text
from fes.filter.language.tree import (
    Affixed,
    Among,
    And,
    Arithmetic,
    Attribute,
    Comparison,
    Condition,
    Exists,
    IsTrue,
    Like,
    Negative,
    Not,
    Operand,
    Or,
    Parameter,
    Reference,
    Subject,
    Truth,
    Within,
    all_of,
    any_of,
)

Way = Callable[[Reference, bool], Reference | None]
"""Returns the other name of a name.

The second argument is whether only the presence matters, not the value. None where there is no
other name.
"""

EVERYTHING: Final = Truth(value=True)


Instead = Callable[[Condition], Condition | None]
"""Returns what replaces a whole test; None where its names are changed like others."""


def _as_any(_: Condition) -> None:
    return None


def renamed(
    tree: Condition, way: Way, lost: dict[str, None], instead: Instead = _as_any
) -> Condition:
    """Return a filter with other names that accepts at least the same.

    Args:
        tree: In normal form.
        way: The names.
        lost: Collects the tests that are left out since a name in them has no other, each once.
        instead: Called first for each test.
    """
    match tree:
        case And(items):
            return all_of(tuple(renamed(item, way, lost, instead) for item in items))
        case Or(items):
            return any_of(tuple(renamed(item, way, lost, instead) for item in items))
    other = instead(tree)
    if other is not None:
        return other
    try:
        return _test(tree, way)
    except LookupError:
        lost[to_text(tree)] = None
        return EVERYTHING


def _test(tree: Condition, way: Way) -> Condition:
    match tree:
        case Not(item) | IsTrue(item):
            return replace(tree, item=_test(item, way))
        case And(items) | Or(items):
            return replace(tree, items=tuple(_test(item, way) for item in items))
        case Exists(reference):
            return Exists(_name(reference, way, presence=True))
        case Comparison(left, _, right):
            return replace(tree, left=_operand(left, way), right=_operand(right, way))
        case Among(operand) | Affixed(operand) | Like(operand):
            return replace(tree, operand=_operand(operand, way))
        case Within():
            raise LookupError("the place of an event has no name of its own")
    return tree


def _operand(operand: Operand, way: Way) -> Operand:
    match operand:
        case Subject() | Parameter() | Attribute():
            return _name(operand, way, presence=False)
        case Negative(inner):
            return Negative(_operand(inner, way))
        case Arithmetic(left, sign, right):
            return Arithmetic(_operand(left, way), sign, _operand(right, way))
    return operand


def _name(name: Reference, way: Way, *, presence: bool) -> Reference:
    found = way(name, presence)
    if found is None:
        raise LookupError(name)
    return found
