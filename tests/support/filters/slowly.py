"""Filters evaluated by the book, one node at a time."""

import math
import re
from fractions import Fraction
from typing import Any

from fes.filter.language.tree import (
    Affixed,
    Among,
    And,
    Arithmetic,
    Attribute,
    Comparison,
    Constant,
    Exists,
    IsTrue,
    Like,
    Negative,
    Not,
    Or,
    Parameter,
    Truth,
    Within,
)
from fes.model import Event

RADIUS_M = 6_371_008.8


def slowly(tree: Any, event: Event, *, unlike: bool | None = None) -> Any:
    """Return a filter's value: true, false, or None for unknown.

    Args:
        tree: The filter.
        event: The event.
        unlike: What a single test is whose values are there and do not go together.
    """
    match tree:
        case Truth(value):
            return value
        case And(items) | Or(items):
            results = [slowly(item, event, unlike=unlike) for item in items]
            return _joined(results, decisive=isinstance(tree, Or))
        case Not(item):
            return {True: False, False: True, None: None}[slowly(item, event, unlike=unlike)]
        case IsTrue(item):
            return slowly(item, event, unlike=unlike) is True
    return _single(tree, event, unlike)


def _single(tree: Any, event: Event, unlike: bool | None) -> bool | None:  # noqa: FBT001 - a value
    if isinstance(tree, Exists):
        return _value(tree.reference, event) is not None
    if isinstance(tree, Within):
        return _within(tree, event)
    result = _tested(tree, event)
    return unlike if result is None and not _lacks(tree, event) else result


def _lacks(tree: Any, event: Event) -> bool:
    match tree:
        case Comparison(left, _, right):
            return _lacks(left, event) or _lacks(right, event)
        case Among(operand) | Affixed(operand) | Like(operand) | Negative(operand):
            return _lacks(operand, event)
        case Arithmetic(left, _, right):
            return _lacks(left, event) or _lacks(right, event)
    return _value(tree, event) is None


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


def _within(disc: Within, event: Event) -> bool | None:
    values = {field.id: field.value for field in event.parameters}
    for names in (("lat", "lon"), ("latitude", "longitude")):
        if all(name in values for name in names):
            lat, lon = (values[name] for name in names)
            for value, most in ((lat, 90), (lon, 180)):
                if _sort(value) is not float or not -most <= value <= most:
                    return None
            return _metres(disc, lat, lon) <= disc.metres
    return None


def _metres(disc: Within, lat: float, lon: float) -> float:
    """Return the distance by the chord between two points in space."""
    one, other = _point(disc.lat, disc.lon), _point(lat, lon)
    return 2 * RADIUS_M * math.asin(min(1.0, math.dist(one, other) / 2))


def _point(lat: float, lon: float) -> tuple[float, float, float]:
    up, over = math.radians(lat), math.radians(lon)
    return (math.cos(up) * math.cos(over), math.cos(up) * math.sin(over), math.sin(up))


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
