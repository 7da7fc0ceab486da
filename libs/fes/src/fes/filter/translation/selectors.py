"""Tests of a JMS selector, such that ActiveMQ accepts at least the same messages.

By STOMP every property is a string. ActiveMQ compares it with a constant of another type by reading
it as that type, and finds no match where it cannot: so numbers are written as doubles, which read
any number. Zero is two numbers there, 0.0 and -0.0, and NaN is greater than any other.

Source:
    JMS 1.1, section 3.8.1.1; ActiveMQ 5.17, `ComparisonExpression`, and `ProtocolConverter`, which
    begins every selector with `convert_string_expressions:`.
"""

import math
import struct
from typing import Any, Final

from fes.filter.language.patterns import wildcard_of
from fes.filter.language.tree import Like, Subject
from fes.model.types import INT64_MAX, INT64_MIN
from fes.wildcard import Element, Wild

PRESENCE: Final = ("EXISTS", "NOT EXISTS")
ORDERED: Final = ("=", "<>", "<", "<=", ">", ">=")

_PATTERNS: Final = ("LIKE", "STARTS WITH", "ENDS WITH", "CONTAINS")
_TEXTS: Final = ("=", "<>", "IN", *_PATTERNS, *(f"NOT {op}" for op in _PATTERNS))
_EXACT: Final = 2**53
_ESCAPE: Final = "!"
_WILD: Final[dict[Element, str]] = {Wild.ONE: "_", Wild.RUN: "%"}


def presence(name: str, op: str) -> str:
    """Return a test whether a message has a property."""
    return f"{name} IS NOT NULL" if op == "EXISTS" else f"{name} IS NULL"


def text_test(name: str, op: str, value: Any) -> str | None:
    """Return a test of a property of type string; None where JMS has none.

    Args:
        name: Of the property.
        op: As of `Term`.
        value: As of `Term`.
    """
    if op not in _TEXTS:
        return None
    if op == "IN":
        if not all(isinstance(each, str) for each in value):
            return None
        return f"{name} IN ({', '.join(map(quoted, value))})"
    if op in ("=", "<>"):
        return f"{name} {op} {quoted(value)}" if isinstance(value, str) else None
    inverse = "NOT " if op.startswith("NOT ") else ""
    pattern = _pattern(op.removeprefix("NOT "), value)
    escape = f" ESCAPE '{_ESCAPE}'" if _ESCAPE in pattern else ""
    return f"{name} {inverse}LIKE {quoted(pattern)}{escape}"


def _pattern(op: str, value: Any) -> str:
    if op == "LIKE":
        elements = wildcard_of(Like(Subject(), *value)).elements
        return "".join(_WILD.get(each) or _literal(str(each)) for each in elements)
    before = "" if op == "STARTS WITH" else "%"
    after = "" if op == "ENDS WITH" else "%"
    return f"{before}{_literal(value)}{after}"


def _literal(text: str) -> str:
    for sign in (_ESCAPE, "%", "_"):
        text = text.replace(sign, _ESCAPE + sign)
    return text


def quoted(text: str) -> str:
    """Return a constant of type string."""
    return "'" + text.replace("'", "''") + "'"


def number_test(name: str, op: str, value: Any, kind: str) -> str | None:
    """Return a test of a property that is a number; None where JMS has none.

    Args:
        name: Of the property.
        op: As of `Term`.
        value: As of `Term`.
        kind: Its type in JMS.
    """
    if op not in ORDERED or isinstance(value, bool | str) or value is None:
        return None
    if kind == "float":
        return _float_test(name, op, float(value))
    if abs(value) >= _EXACT and not math.isinf(value):
        return _large(name, op, int(value), kind)
    return _zeroed(name, op, float(value))


def _zeroed(name: str, op: str, value: float) -> str:
    if value == 0:
        if op == "=":
            return f"{name} = 0.0 OR {name} = -0.0"
        value = -0.0 if op == ">=" else 0.0
    return f"{name} {op} {_double(value)}"


def _large(name: str, op: str, value: int, kind: str) -> str:
    """Return a test against an integer beyond which not every integer is a double."""
    if kind == "long":
        # Read as doubles, neighbours fall together; the integer is read exactly.
        if INT64_MIN <= value <= INT64_MAX:
            return f"{name} {op} {value}"
        always = op == "<>" or (op != "=" and ("<" in op) == (value > 0))
        return f"{name} IS NOT NULL" if always else "FALSE"
    try:
        near = float(value)
    except OverflowError:
        near = math.copysign(math.inf, value)
    if near == value:
        return f"{name} {op} {_double(near)}"
    below = near if near < value else math.nextafter(near, -math.inf)
    above = near if near > value else math.nextafter(near, math.inf)
    if op == "<>":
        return f"{name} IS NOT NULL"
    return f"{name} {op} {_double(below if op in ('>', '<=', '=') else above)}"


def _float_test(name: str, op: str, value: float) -> str:
    """Return a test of a float, whose text is read as a double that may lie beside it."""
    try:
        near = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        near = math.copysign(math.inf, value)
    low, high = min(value, near), max(value, near)
    match op:
        case "<>":
            return f"{name} IS NOT NULL"
        case "=":
            return " OR ".join(_zeroed(name, "=", each) for each in dict.fromkeys((low, high)))
        case "<" | "<=":
            return _zeroed(name, "<=", high)
    return _zeroed(name, ">=", low)


def _double(value: float) -> str:
    if math.isinf(value):
        return "1E999" if value > 0 else "-1E999"
    return repr(value).replace("e", "E")
