"""SIENA's rules, written once more as slowly and plainly as they can be told.

It shares only the data (constraints, filters) with what it judges: no table, no compilation, no
comparison of the product's own. Numbers are compared as fractions, text character by character.
"""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from eventservices.siena import Constraint, Filter, Op, Value

TEXT_OPS = (Op.PREFIX, Op.SUFFIX, Op.SUBSTRING)


def sort_of(value: Value) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "string" if isinstance(value, str) else "octets"


def rank(value: Value) -> Any:
    """Return something that orders as the value does among those of its sort."""
    if isinstance(value, bool):
        return 1 if value else 0
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return (1 if value > 0 else -1, Fraction(0))
    if isinstance(value, int | float):
        return (0, Fraction(value))
    return [ord(each) for each in value] if isinstance(value, str) else list(value)


def contains(text: list[int], part: list[int]) -> bool:
    places = range(len(text) - len(part) + 1)
    return any(text[at : at + len(part)] == part for at in places)


def text_satisfies(text: list[int], op: Op, part: list[int]) -> bool:
    if op is Op.PREFIX:
        return text[: len(part)] == part
    if op is Op.SUFFIX:
        return len(part) <= len(text) and text[len(text) - len(part) :] == part
    return contains(text, part)


def satisfies(value: Value | None, op: Op, operand: Value | None) -> bool:
    """Tell whether `value op operand`; None as a value stands for an absent attribute."""
    if value is None or op is Op.ANY or operand is None:
        return value is not None
    if sort_of(value) != sort_of(operand) or str(value) == "nan" != value:
        return op is Op.NE
    ours, theirs = rank(value), rank(operand)
    if op in TEXT_OPS:
        return sort_of(value) in ("string", "octets") and text_satisfies(ours, op, theirs)
    less, equal = bool(ours < theirs), bool(ours == theirs)
    return {
        Op.EQ: equal,
        Op.NE: not equal,
        Op.LT: less,
        Op.LE: less or equal,
        Op.GT: not less and not equal,
        Op.GE: not less,
    }[op]


def matches(what: Filter, notification: Mapping[str, Value]) -> bool:
    for constraint in what.constraints:
        if not satisfies(notification.get(constraint.name), constraint.op, constraint.value):
            return False
    return True


def advertises(advertisement: Filter, notification: Mapping[str, Value]) -> bool:
    for name, value in notification.items():
        alternatives = [each for each in advertisement.constraints if each.name == name]
        if not any(satisfies(value, each.op, each.value) for each in alternatives):
            return False
    return True


RANGES: dict[tuple[Op, Op], Op] = {
    (Op.NE, Op.NE): Op.EQ,
    (Op.LT, Op.LT): Op.LE,
    (Op.LE, Op.LE): Op.LE,
    (Op.LE, Op.LT): Op.LE,
    (Op.LT, Op.LE): Op.LT,
    (Op.GT, Op.GT): Op.GE,
    (Op.GE, Op.GE): Op.GE,
    (Op.GE, Op.GT): Op.GE,
    (Op.GT, Op.GE): Op.GT,
    (Op.PREFIX, Op.PREFIX): Op.PREFIX,
    (Op.SUFFIX, Op.SUFFIX): Op.SUFFIX,
    (Op.SUBSTRING, Op.SUBSTRING): Op.SUBSTRING,
    (Op.SUBSTRING, Op.PREFIX): Op.SUBSTRING,
    (Op.SUBSTRING, Op.SUFFIX): Op.SUBSTRING,
    (Op.GT, Op.PREFIX): Op.GT,
    (Op.GE, Op.PREFIX): Op.GE,
}
"""Rows of the table that ask one thing of both operands: second operand, this, first operand."""


def table_says(general: Constraint, special: Constraint) -> bool:
    """Tell what the corrected covering table says of two constraints on one name."""
    first, second = general.value, special.value
    if first is None or second is None:
        return first is None
    if general.op is Op.NE and special.op is not Op.NE:
        return not satisfies(first, special.op, second)
    if special.op is Op.EQ:
        return satisfies(second, general.op, first)
    if general.op in (Op.LT, Op.LE) and special.op is Op.PREFIX:
        return satisfies(first, Op.GT, second) and not satisfies(first, Op.PREFIX, second)
    asked = RANGES.get((general.op, special.op))
    return general == special or (asked is not None and satisfies(second, asked, first))


def earliest_sequence(
    filters: Sequence[Filter], waiting: Iterable[tuple[tuple[int, int], Mapping[str, Value]]]
) -> tuple[int, ...] | None:
    """Return the earliest sequence that matches a pattern, by trying all of them.

    Args:
        filters: Of the pattern.
        waiting: (time, number of arrival) and attributes of each notification.

    Returns:
        Numbers of arrival; None where nothing matches.
    """
    ordered = sorted(waiting, key=lambda each: each[0])
    found = [
        tuple(place for place, _ in chosen)
        for chosen in combinations(ordered, len(filters))
        if all(matches(what, event) for what, (_, event) in zip(filters, chosen, strict=True))
    ]
    return tuple(number for _, number in min(found)) if found else None
