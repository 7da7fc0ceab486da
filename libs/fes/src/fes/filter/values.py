"""Values in filters: their kinds, comparisons and calculations."""

import math
import operator
from collections.abc import Callable
from typing import Any, Final, Literal

from fes.filter.language.tree import Relation, Sign
from fes.model.types import INT64_MAX, INT64_MIN

Kind = Literal["number", "string", "boolean"]

ORDERINGS: Final = frozenset(("<", "<=", ">", ">="))
INVERSE: Final[dict[Relation, Relation]] = {
    "=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">",
}  # fmt: skip
MIRRORED: Final[dict[Relation, Relation]] = {
    "=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<=",
}  # fmt: skip

_COMPARE: Final[dict[Relation, Callable[[Any, Any], bool]]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_KINDS: Final[dict[type, Kind]] = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
}


def kind_of(value: object) -> Kind | None:
    """Return a value's kind; None for octets, events and None, which cannot be compared."""
    kind = _KINDS.get(value.__class__)
    if kind is None and value is not None:
        return next((kind for base, kind in _KINDS.items() if isinstance(value, base)), None)
    return kind


def compare(left: Any, relation: Relation, right: Any) -> bool | None:
    """Return whether a relation between two values is true; None where that is unknown.

    Numbers compare by value, exactly: an integer is not rounded to a double. Strings compare by
    code point, booleans by `=` and `<>` only. NaN equals nothing and is not ordered, so that
    `NOT (a < b)` and `a >= b` are the same for every value.

    Source:
        design, section 5 (SQL-92's three values); IEEE 754, section 5.11.
    """
    kind = kind_of(left)
    if kind is None or kind != kind_of(right):
        return None
    if relation in ORDERINGS and not _has_order(kind, left, right):
        return None
    return _COMPARE[relation](left, right)


def comparer(relation: Relation) -> Callable[[Any, Any], bool]:
    """Return the plain comparison of two values of one kind, neither of them NaN."""
    return _COMPARE[relation]


def calculate(left: Any, sign: Sign, right: Any) -> int | float | None:
    """Return the result of a calculation; None where it is unknown.

    Two integers result in an integer: division truncates toward zero, and a result outside 64 bit
    is unknown. With a double the result is a double. A division by zero is unknown.

    Source:
        JMS 2.0, section 3.8.1.1: numeric promotion as in Java.
    """
    if kind_of(left) != "number" or kind_of(right) != "number":
        return None
    if sign == "/":
        return _divide(left, right)
    if isinstance(left, float) or isinstance(right, float):
        left, right = float(left), float(right)
    return fit(left + right if sign == "+" else left - right if sign == "-" else left * right)


def negate(value: Any) -> int | float | None:
    """Return a number with its sign changed; None where there is no such number."""
    return fit(-value) if kind_of(value) == "number" else None


def fit(number: float) -> int | float | None:
    """Return a number unless it is an integer outside 64 bit."""
    if isinstance(number, int) and not INT64_MIN <= number <= INT64_MAX:
        return None
    return number


def _divide(left: float, right: float) -> int | float | None:
    if right == 0:
        return None
    if isinstance(left, int) and isinstance(right, int):
        size = abs(left) // abs(right)
        return fit(size if (left < 0) == (right < 0) else -size)
    return float(left) / float(right)


def _has_order(kind: Kind, left: Any, right: Any) -> bool:
    if kind == "number":
        return not (math.isnan(left) or math.isnan(right))
    return kind == "string"
