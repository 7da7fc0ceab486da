"""Compatibility of constraints: whether one value may satisfy two of them."""

from eventservices.siena.filters import Constraint, Op
from eventservices.siena.matching import holds
from eventservices.siena.predicates import satisfiable
from eventservices.siena.values import Value, same_kind

_UPPER = frozenset({Op.LT, Op.LE})
_LOWER = frozenset({Op.GT, Op.GE})


def compatible(one: Constraint, other: Constraint) -> bool:
    """Return whether a value may satisfy both constraints; the names are not looked at.

    Complete: with `False`, no value does. It may return `True` where none does, e.g. of a range
    between two neighbouring strings.
    """
    if not satisfiable(one) or not satisfiable(other):
        return False
    for first, second in ((one, other), (other, one)):
        if first.op is Op.EQ and first.value is not None:
            return second.value is None or holds(second.op, first.value, second.value)
    if Op.NE in (one.op, other.op) or one.value is None or other.value is None:
        return True
    if not same_kind(one.value, other.value):
        return False
    return _meet(one.op, one.value, other.op, other.value) and _meet(
        other.op, other.value, one.op, one.value
    )


def _meet(op: Op, operand: Value, other: Op, bound: Value) -> bool:
    """Return whether the first constraint leaves room for the second, seen from the first one."""
    if op in _LOWER and other in _UPPER:
        both_include = op is Op.GE and other is Op.LE
        return holds(Op.LE if both_include else Op.LT, operand, bound)
    if op is Op.PREFIX:
        return _prefix_meets(operand, other, bound)
    if op is Op.SUFFIX and other is Op.SUFFIX:
        return holds(Op.SUFFIX, operand, bound) or holds(Op.SUFFIX, bound, operand)
    return True


def _prefix_meets(prefix: Value, other: Op, bound: Value) -> bool:
    # The least text with a prefix is the prefix; the greatest has no bound but the prefix itself.
    if other in _UPPER:
        return holds(other, prefix, bound)
    if other in _LOWER:
        return holds(other, prefix, bound) or holds(Op.PREFIX, bound, prefix)
    if other is Op.PREFIX:
        return holds(Op.PREFIX, prefix, bound) or holds(Op.PREFIX, bound, prefix)
    return True
