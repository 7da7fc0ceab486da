"""Conditions that are stated along the edges of scopes: kept short, and widened where too long."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from fes.filter.language.tree import And, Condition, Not, Or, Truth, all_of, any_of
from fes.scopes.declared import Interface

MAX_TESTS = 200
"""Most tests of one condition that travels; a longer one accepts everything, and is widened."""


class Stated(NamedTuple):
    """A condition of the events that come somewhere.

    Attributes:
        tree: The condition.
        widened: Whether it accepts more than the exact one.
    """

    tree: Condition
    widened: bool = False


TRUE: Final = Stated(Truth(value=True))
FALSE: Final = Stated(Truth(value=False))
_WIDENED: Final = Stated(Truth(value=True), widened=True)


def interface_of(interface: Interface) -> Stated:
    """Return the condition that an interface states."""
    if interface is None:
        return TRUE
    return either(Stated(each.tree) for each in interface)


def both(one: Stated, other: Stated) -> Stated:
    """Return the condition that both are true."""
    if FALSE in (one, other):
        return FALSE
    parts = [each.tree for each in (one, other) if each.tree != TRUE.tree]
    joined = all_of(tuple(parts))
    if isinstance(joined, And):
        joined = all_of(tuple(dict.fromkeys(joined.items)))
    return _bounded(joined, widened=one.widened or other.widened)


def either(some: Iterable[Stated]) -> Stated:
    """Return the condition that at least one is true; FALSE where there are none."""
    parts = [each for each in dict.fromkeys(some) if each != FALSE]
    if TRUE in parts:
        return TRUE
    joined = any_of(tuple(each.tree for each in parts))
    if isinstance(joined, Or):
        items = tuple(dict.fromkeys(joined.items))
        joined = TRUE.tree if TRUE.tree in items else any_of(items)
    return _bounded(joined, widened=any(each.widened for each in parts))


def _bounded(tree: Condition, *, widened: bool) -> Stated:
    return _WIDENED if _tests(tree) > MAX_TESTS else Stated(tree, widened)


def _tests(tree: Condition) -> int:
    match tree:
        case And(items) | Or(items):
            return sum(map(_tests, items))
        case Not(item):
            return _tests(item)
    return 1
