"""Covering: a filter covers another if it matches all that the other matches.

Sound, not complete: with `True`, no notification matches the covered filter only. It returns
`False` where only the conjunction of several constraints implies another one.

Source:
    SIENA's `Covering`, with the bounds corrected: digest `reference/siena.md`, section 2.
"""

from eventservices.siena.filters import Constraint, Filter, Op
from eventservices.siena.matching import holds
from eventservices.siena.pattern import Pattern
from eventservices.siena.values import Value, same_kind

_BELOW = frozenset({Op.LT, Op.LE})
_ABOVE = frozenset({Op.GT, Op.GE})
_AFFIX = frozenset({Op.PREFIX, Op.SUFFIX})


def covers(general: Filter, special: Filter) -> bool:
    """Return whether every notification that matches `special` matches `general`."""
    return all(
        any(covers_constraint(wanted, given) for given in special.on(wanted.name))
        for wanted in general.constraints
    )


def covers_advertisement(general: Filter, special: Filter) -> bool:
    """Return whether all that `special` advertises is advertised by `general`.

    In an advertisement constraints on one name are alternatives, an attribute that it names may
    be absent, and one that it does not name may not be there.
    """
    return all(
        any(covers_constraint(wide, narrow) for wide in general.on(narrow.name))
        for narrow in special.constraints
    )


def covers_pattern(general: Pattern, special: Pattern) -> bool:
    """Return whether every sequence that matches `special` matches `general`.

    They must have equally many filters, and each of the one cover that of the other in its place.
    """
    return len(general.filters) == len(special.filters) and all(
        covers(wide, narrow) for wide, narrow in zip(general.filters, special.filters, strict=True)
    )


def covers_constraint(general: Constraint, special: Constraint) -> bool:
    """Return whether every value that satisfies `special` satisfies `general`.

    Both must be on the same attribute; the names are not looked at.
    """
    if general.value is None or general == special:
        return True
    if special.value is None:
        return False
    if special.op is Op.EQ:
        return holds(general.op, special.value, general.value)
    if general.op is Op.NE:
        return not holds(special.op, general.value, special.value)
    if not same_kind(general.value, special.value):
        return False
    return _implied(general.op, general.value, special.op, special.value)


def _implied(op: Op, bound: Value, given: Op, operand: Value) -> bool:
    """Return whether `given operand` implies `op bound`; both operands are of one kind."""
    if op in _BELOW or op in _ABOVE:
        if given is Op.PREFIX:
            return _prefix_within(op, bound, operand)
        return _range_within(op, bound, given, operand)
    if not isinstance(bound, str | bytes) or not isinstance(operand, str | bytes):
        return False
    if op is Op.SUBSTRING and (given is Op.SUBSTRING or given in _AFFIX):
        return holds(Op.SUBSTRING, operand, bound)
    return op in _AFFIX and op is given and holds(op, operand, bound)


def _range_within(op: Op, bound: Value, given: Op, operand: Value) -> bool:
    if op in _BELOW and given in _BELOW:
        strict = op is Op.LT and given is Op.LE
        return holds(Op.LT if strict else Op.LE, operand, bound)
    if op in _ABOVE and given in _ABOVE:
        strict = op is Op.GT and given is Op.GE
        return holds(Op.GT if strict else Op.GE, operand, bound)
    return False


def _prefix_within(op: Op, bound: Value, prefix: Value) -> bool:
    # Every text with a prefix is >= the prefix, and below any greater one that does not have it.
    if op in _ABOVE:
        return holds(op, prefix, bound)
    return holds(Op.LT, prefix, bound) and not holds(Op.PREFIX, bound, prefix)
