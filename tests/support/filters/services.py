"""A service that applies any terms that it is told to, by brute force."""

from typing import Any

from fes.filter import Term
from fes.filter.language.patterns import wildcard_of
from fes.filter.language.tree import Like, Subject
from fes.model import Event

OPERATORS = (
    *("=", "<>", "<", "<=", ">", ">=", "IN", "EXISTS", "NOT EXISTS", "STARTS WITH", "ENDS WITH"),
    *("CONTAINS", "LIKE", "NOT STARTS WITH", "NOT ENDS WITH", "NOT CONTAINS", "NOT LIKE"),
)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def applied(term: Term, native: Event) -> bool:
    """Tell whether a term is true of a native event."""
    fields = native.parameters if term.kind == "parameter" else native.attributes
    values = {field.id: field.value for field in fields}
    value = native.subject if term.kind == "subject" else values.get(term.name)
    if term.op in ("EXISTS", "NOT EXISTS"):
        return (value is not None) == (term.op == "EXISTS")
    if term.op == "IN":
        return any(_equal(value, one) for one in term.value)
    if value is None or is_number(value) != is_number(term.value):
        return False
    if is_number(value):
        return _ordered(value, term.op, term.value)
    if type(value) is bool or type(term.value) is bool:
        same = type(value) is type(term.value)
        return same and ((term.op == "=") == (value == term.value))
    return isinstance(value, str) and _strings(value, term)


def _equal(value: Any, other: Any) -> bool:
    if isinstance(value, bool) != isinstance(other, bool):
        return False
    return bool(value == other)


def _ordered(value: Any, op: str, other: Any) -> bool:
    relations = {
        "=": value == other,
        "<>": value != other,
        "<": value < other,
        "<=": value <= other,
        ">": value > other,
        ">=": value >= other,
    }
    return bool(relations[op])


def _strings(value: str, term: Term) -> bool:
    if term.op.startswith("NOT "):
        return not _strings(value, Term(term.kind, term.name, term.op[4:], term.value))
    if term.op == "LIKE":
        return wildcard_of(Like(Subject(), *term.value)).matches(value)
    tests = {"STARTS WITH": str.startswith, "ENDS WITH": str.endswith, "CONTAINS": str.__contains__}
    test = tests.get(term.op)
    return bool(test(value, term.value)) if test else _ordered(value, term.op, term.value)
