"""The normal form of a filter: one tree for filters that differ only in how they are written.

Every step preserves all three values: what was true, false or unknown for an event stays so.
"""

import math
from collections.abc import Iterable

from fes.filter.language.patterns import simplest
from fes.filter.language.text import operand_text, to_text
from fes.filter.language.tree import (
    Affixed,
    Among,
    And,
    Arithmetic,
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
    Subject,
    Truth,
    Within,
    all_of,
    any_of,
)
from fes.filter.values import INVERSE, MIRRORED, calculate, compare, negate


def normalise(tree: Condition, *, positive: bool = True) -> Condition:
    """Return the normal form of a filter, or of its inverse.

    NOT is only before LIKE, STARTS WITH, ENDS WITH, CONTAINS, EXISTS, WITHIN and IS TRUE;
    IS TRUE only behind single tests that may be unknown; constants are on the right; conjunctions
    and disjunctions are flat, sorted by text and free of repetitions; IN has two constants or more;
    calculations with constants only are evaluated.

    Args:
        tree: Any filter.
        positive: False for the normal form of NOT `tree`.
    """
    match tree:
        case Not(item):
            return normalise(item, positive=not positive)
        case IsTrue(item):
            return _certain(normalise(item), positive=positive)
        case And(items) | Or(items):
            parts = [normalise(item, positive=positive) for item in items]
            return _both(parts) if isinstance(tree, And) == positive else _either(parts)
        case _:
            return _leaf(tree, positive=positive)


def _certain(tree: Condition, *, positive: bool) -> Condition:
    """Return a condition that is never unknown: true where one in normal form is, or is not."""
    match tree:
        case And(items) | Or(items):
            parts = [_certain(item, positive=positive) for item in items]
            return _both(parts) if isinstance(tree, And) == positive else _either(parts)
        case Truth() | Exists() | Not(Exists()) | IsTrue() | Not(IsTrue()):
            return tree if positive else normalise(tree, positive=False)
    return IsTrue(tree) if positive else Not(IsTrue(tree))


def _leaf(tree: Leaf, *, positive: bool) -> Condition:
    match tree:
        case Truth(value):
            return Truth(value == positive)
        case Exists(Subject()):
            return Truth(positive)
        case Exists() | Within():
            return tree if positive else Not(tree)
        case Comparison():
            return _comparison(tree, positive=positive)
        case Among():
            return _among(tree, positive=positive)
        case Affixed() | Like():
            return _string_test(tree, positive=positive)


def _both(parts: Iterable[Condition]) -> Condition:
    items = _sorted(all_of(tuple(parts)), And)
    if Truth(value=False) in items:
        return Truth(value=False)
    return all_of(tuple(item for item in items if item != Truth(value=True)))


def _either(parts: Iterable[Condition]) -> Condition:
    items = _sorted(any_of(_merged(any_of(tuple(parts)))), Or)
    if Truth(value=True) in items:
        return Truth(value=True)
    return any_of(tuple(item for item in items if item != Truth(value=False)))


def _sorted(tree: Condition, kind: type[And | Or]) -> tuple[Condition, ...]:
    items = tree.items if isinstance(tree, kind) else (tree,)
    return tuple(sorted(dict.fromkeys(items), key=to_text))


def _merged(tree: Condition) -> tuple[Condition, ...]:
    """Write alternatives for one operand as one IN."""
    items = tree.items if isinstance(tree, Or) else (tree,)
    values: dict[Operand, list[Constant]] = {}
    others: list[Condition] = []
    for item in items:
        match item:
            case Comparison(operand, "=", Constant() as constant):
                values.setdefault(operand, []).append(constant)
            case Among(operand, constants):
                values.setdefault(operand, []).extend(constants)
            case _:
                others.append(item)
    return (*others, *(_one_of(operand, found) for operand, found in values.items()))


def _one_of(operand: Operand, constants: Iterable[Constant]) -> Condition:
    unique = sorted(dict.fromkeys(constants), key=operand_text)
    if len(unique) == 1:
        return Comparison(operand, "=", unique[0])
    return Among(operand, tuple(unique))


def _comparison(test: Comparison, *, positive: bool) -> Condition:
    left, right = _calculated(test.left), _calculated(test.right)
    relation = test.relation if positive else INVERSE[test.relation]
    if isinstance(left, Constant) and isinstance(right, Constant):
        known = compare(left.value, relation, right.value)
        if known is not None:
            return Truth(known)
    if _place(right) < _place(left):
        left, relation, right = right, MIRRORED[relation], left
    return Comparison(left, relation, right)


def _among(test: Among, *, positive: bool) -> Condition:
    operand = _calculated(test.operand)
    if positive:
        return _one_of(operand, test.values)
    return _both(
        _comparison(Comparison(operand, "<>", constant), positive=True) for constant in test.values
    )


def _string_test(test: Affixed | Like, *, positive: bool) -> Condition:
    plain = simplest(test)
    if isinstance(plain, Comparison):
        return _comparison(plain, positive=positive)
    return plain if positive else Not(plain)


def _calculated(operand: Operand) -> Operand:
    """Evaluate the calculations that need no event, where the result can be written."""
    match operand:
        case Arithmetic(left, sign, right):
            left, right = _calculated(left), _calculated(right)
            if isinstance(left, Constant) and isinstance(right, Constant):
                return _written(calculate(left.value, sign, right.value)) or Arithmetic(
                    left, sign, right
                )
            return Arithmetic(left, sign, right)
        case Negative(inner):
            inner = _calculated(inner)
            known = _written(negate(inner.value)) if isinstance(inner, Constant) else None
            return known or Negative(inner)
        case _:
            return operand


def _written(number: float | None) -> Constant | None:
    return Constant(number) if number is not None and math.isfinite(number) else None


def _place(operand: Operand) -> tuple[bool, str]:
    """Return the sort key of a side of a comparison: constants right, the others by text."""
    return (isinstance(operand, Constant), operand_text(operand))
