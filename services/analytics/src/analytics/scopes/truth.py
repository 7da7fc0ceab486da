"""The truth of a test about an event that is known in part: a set of truths.

A test is true, false or unknown, as in SQL-92; of an event whose parameters no log has, it may be
any of the three. So each test has the set of truths that it may have, as bits.

Source:
    docs/filters.md, What is true.
"""

import math
import operator
import re
from collections.abc import Callable
from itertools import product
from typing import Any, Final

TRUE: Final = 1
FALSE: Final = 2
UNKNOWN: Final = 4
UNDECIDED: Final = TRUE | FALSE | UNKNOWN

ABSENT: Final = None
"""The value of a parameter that an event does not have."""

ANY: Final = object()
"""The value of a parameter that no log has."""

_LONG: Final = 2**63
_RADIUS_M: Final = 6_371_008.8
_ORDERED: Final = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def truth(value: object) -> int:
    """Return the truth that is a boolean of Python's."""
    return TRUE if value else FALSE


def negated(one: int) -> int:
    """Return what NOT makes of a truth."""
    return (one & UNKNOWN) | (FALSE if one & TRUE else 0) | (TRUE if one & FALSE else 0)


def both(one: int, other: int) -> int:
    """Return what AND makes of two truths."""
    return _lifted(one, other, lambda a, b: FALSE if FALSE in (a, b) else max(a, b))


def either(one: int, other: int) -> int:
    """Return what OR makes of two truths."""
    return negated(both(negated(one), negated(other)))


def _lifted(one: int, other: int, act: Callable[[int, int], int]) -> int:
    found = 0
    for a, b in product((TRUE, FALSE, UNKNOWN), repeat=2):
        if one & a and other & b:
            found |= act(a, b)
    return found


def is_number(value: object) -> bool:
    """Return whether a value is a number; a boolean is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def compared(one: Any, sign: str, other: Any) -> int:
    """Return the truth of a comparison."""
    if ABSENT in (one, other):
        return UNKNOWN
    if one is ANY or other is ANY:
        return UNDECIDED
    for kind in (is_number, lambda value: isinstance(value, str)):
        if kind(one) and kind(other):
            return _compared(one, sign, other)
    if isinstance(one, bool) and isinstance(other, bool) and sign in ("=", "<>"):
        return truth((one == other) == (sign == "="))
    return UNKNOWN


def _compared(one: Any, sign: str, other: Any) -> int:
    if sign in ("=", "<>"):
        return truth((one == other) == (sign == "="))
    if any(isinstance(each, float) and math.isnan(each) for each in (one, other)):
        return UNKNOWN
    return truth(_ORDERED[sign](one, other))


def text_test(value: Any, pattern: re.Pattern[str]) -> int:
    """Return whether a whole string has a form."""
    if value is ANY:
        return UNDECIDED
    return truth(pattern.fullmatch(value)) if isinstance(value, str) else UNKNOWN


def is_absent(value: Any) -> int:
    """Return whether an event does not have a value."""
    return TRUE | FALSE if value is ANY else truth(value is ABSENT)


def as_condition(value: Any) -> int:
    """Return whether a value is a boolean that is true."""
    if value is ANY:
        return UNDECIDED
    return truth(value) if isinstance(value, bool) else UNKNOWN


def is_truth(one: int, wanted: int) -> int:
    """Return whether a test has one truth: `IS TRUE`, `IS FALSE`."""
    return (TRUE if one & wanted else 0) | (FALSE if one & ~wanted else 0)


def computed(one: Any, sign: str, other: Any) -> Any:
    """Return the value of an arithmetic expression; absent where it has none."""
    if ABSENT in (one, other):
        return ABSENT
    if one is ANY or other is ANY:
        return ANY
    if not (is_number(one) and is_number(other)):
        return ABSENT
    try:
        found = _computed(one, sign, other)
    except (ZeroDivisionError, OverflowError):
        return ABSENT
    outside = isinstance(found, int) and not -_LONG <= found < _LONG
    return ABSENT if outside else found


def _computed(one: Any, sign: str, other: Any) -> Any:
    if sign == "/" and isinstance(one, int) and isinstance(other, int):
        quotient = abs(one) // abs(other)
        return quotient if (one < 0) == (other < 0) else -quotient
    acts = {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "/": operator.truediv,
    }
    return acts[sign](one, other)


def within(position: tuple[Any, Any], centre: tuple[float, float], metres: float) -> int:
    """Return whether a position (degrees) is within a distance of a centre."""
    if ANY in position:
        return UNDECIDED
    lat, lon = position
    place = is_number(lat) and is_number(lon) and abs(lat) <= 90 and abs(lon) <= 180
    if not place:
        return UNKNOWN
    a, b = math.radians(lat), math.radians(centre[0])
    east = math.radians(lon - centre[1])
    half = math.sin((a - b) / 2) ** 2 + math.cos(a) * math.cos(b) * math.sin(east / 2) ** 2
    return truth(2 * _RADIUS_M * math.asin(math.sqrt(min(1.0, half))) <= metres)
