"""Terms of a filter as tests of a JMS selector, in the names of properties."""

from typing import Any, Final

from eventservices.jms.properties import PropertyType
from eventservices.jms.selectors import (
    ONE,
    RUN,
    boolean_test,
    like,
    literal,
    number_test,
    presence,
    quoted,
)

from fes.filter.language.patterns import wildcard_of
from fes.filter.language.tree import Like, Subject
from fes.wildcard import Element, Wild

PRESENCE: Final = ("EXISTS", "NOT EXISTS")

_PATTERNS: Final = ("LIKE", "STARTS WITH", "ENDS WITH", "CONTAINS")
_TEXTS: Final = ("=", "<>", "IN", *_PATTERNS, *(f"NOT {op}" for op in _PATTERNS))
_WILD: Final[dict[Element, str]] = {Wild.ONE: ONE, Wild.RUN: RUN}


def property_test(name: str, op: str, value: Any, kind: PropertyType) -> str | None:
    """Return a test of a property; None where JMS has none.

    Args:
        name: Of the property.
        op: As of `Term`.
        value: As of `Term`.
        kind: Its type in JMS.
    """
    if op in PRESENCE:
        return presence(name, present=op == "EXISTS")
    if kind == "string":
        return text_test(name, op, value)
    if kind == "boolean":
        return boolean_test(name, op, value)
    return number_test(name, op, value, kind)


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
    inverse = op.startswith("NOT ")
    return like(name, _pattern(op.removeprefix("NOT "), value), inverse=inverse)


def _pattern(op: str, value: Any) -> str:
    if op == "LIKE":
        elements = wildcard_of(Like(Subject(), *value)).elements
        return "".join(_WILD.get(each) or literal(str(each)) for each in elements)
    before = "" if op == "STARTS WITH" else RUN
    after = "" if op == "ENDS WITH" else RUN
    return f"{before}{literal(value)}{after}"
