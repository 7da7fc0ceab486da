"""Tests of a message selector, such that ActiveMQ accepts at least the same messages.

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

from eventservices.jms.properties import PropertyType

ORDERED: Final = ("=", "<>", "<", "<=", ">", ">=")

ONE: Final = "_"
RUN: Final = "%"
"""In a pattern of `like`: any one character, and any run of characters."""

_EXACT: Final = 2**53
_ESCAPE: Final = "!"


def presence(name: str, *, present: bool = True) -> str:
    """Return a test whether a message has a property."""
    return f"{name} IS NOT NULL" if present else f"{name} IS NULL"


def like(name: str, pattern: str, *, inverse: bool = False) -> str:
    """Return a test of a property of type string.

    Args:
        name: Of the property.
        pattern: `ONE`, `RUN` and what `literal` returns.
        inverse: Whether it is true of what the pattern does not match.
    """
    escape = f" ESCAPE '{_ESCAPE}'" if _ESCAPE in pattern else ""
    return f"{name} {'NOT ' if inverse else ''}LIKE {quoted(pattern)}{escape}"


def literal(text: str) -> str:
    """Return the pattern that matches a text only."""
    for sign in (_ESCAPE, RUN, ONE):
        text = text.replace(sign, _ESCAPE + sign)
    return text


def quoted(text: str) -> str:
    """Return a constant of type string."""
    return "'" + text.replace("'", "''") + "'"


def boolean_test(name: str, op: str, value: Any) -> str | None:
    """Return a test of a property that is a boolean; None where JMS has none."""
    fits = op in ("=", "<>") and isinstance(value, bool)
    return f"{name} {op} {'TRUE' if value else 'FALSE'}" if fits else None


def number_test(name: str, op: str, value: Any, kind: PropertyType) -> str | None:
    """Return a test of a property that is a number; None where JMS has none.

    Args:
        name: Of the property.
        op: One of `ORDERED`.
        value: What it is compared with.
        kind: Its type.
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
        if -(2**63) <= value < 2**63:
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
