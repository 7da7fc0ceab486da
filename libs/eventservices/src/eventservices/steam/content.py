"""Content filters, which consumers apply to what they receive.

A filter is a conjunction of terms. A term is true when its parameter is there, is of the type of
the term's value, and is in the relation to it; integers and doubles compare by value. Order
applies to numbers and to strings (by code point); booleans and octets know equality only.

Source:
    Meier and Cahill, STEAM, DEBS 2002: equality, magnitude and range.
"""

from collections.abc import Callable, Iterable, Mapping
from operator import eq, ge, gt, le, lt
from typing import Any, Literal

import msgspec

from eventservices.errors import MalformedError
from eventservices.steam.event import MAX_NAME, Value
from eventservices.text import check_text

Operator = Literal["=", "<", "<=", ">", ">=", "range"]

MAX_TERMS = 256
"""Most terms that a filter may have."""

MAX_TEXT = 65_535
"""Longest text that a parameter is compared with, in characters."""

_RELATIONS: dict[str, Callable[[Any, Any], bool]] = {"=": eq, "<": lt, "<=": le, ">": gt, ">=": ge}


class Term(msgspec.Struct, frozen=True, array_like=True):
    """One condition on one parameter.

    Attributes:
        parameter: Name of the parameter.
        operator: `=`, `<`, `<=`, `>`, `>=`, or `range`.
        value: What it is compared with; the lower border of a range.
        upper: The upper border of a range; borders belong to it.
    """

    parameter: str
    operator: Operator
    value: Any  # a `Value`: msgspec has no union of text and octets, `ContentFilter` decides
    upper: Any = None

    def __eq__(self, other: object) -> bool:
        """Return whether both are the same condition: 1 and TRUE are two values, 1 and 1.0 one."""
        return isinstance(other, Term) and self._key == other._key

    def __hash__(self) -> int:
        """Agree with equality."""
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        kinds = (isinstance(self.value, bool), isinstance(self.upper, bool))
        return (self.parameter, self.operator, self.value, self.upper, *kinds)


def between(parameter: str, low: Value, high: Value) -> Term:
    """Return the term that is true from `low` to `high`, both included."""
    return Term(parameter, "range", low, high)


class ContentFilter:
    """States which events a subscriber requested.

    Args:
        terms: All must be true; none accepts everything.

    Raises:
        MalformedError: A term cannot be true by its form; the message names it.
    """

    def __init__(self, terms: Iterable[Term] = ()) -> None:
        self.terms = tuple(terms)
        if len(self.terms) > MAX_TERMS:
            raise MalformedError(f"a content filter of {len(self.terms)} terms exceeds {MAX_TERMS}")
        self._tests = [test for term in self.terms for test in _tests(_check(term))]

    def accepts(self, parameters: Mapping[str, Value]) -> bool:
        """Return whether an event's content fulfils every term."""
        for name, group, relation, operand in self._tests:
            value = parameters.get(name)
            if _GROUPS.get(type(value)) != group or not relation(value, operand):
                return False
        return True


_GROUPS: dict[type, str] = {str: "text", int: "number", float: "number", bool: "flag", bytes: "raw"}

_Test = tuple[str, str, Callable[[Any, Any], bool], Value]


def _check(term: Term) -> Term:
    for text in (term.parameter, term.value, term.upper):
        if isinstance(text, str):
            check_text(text, "a term of a content filter", MAX_TEXT, least=0)
    if not 0 < len(term.parameter) <= MAX_NAME or type(term.value) not in _GROUPS:
        raise MalformedError(f"not a term of a content filter: {term}")
    if term.operator != "range" and (term.operator not in _RELATIONS or term.upper is not None):
        raise MalformedError(f"not an operator of a content filter: {term}")
    if term.operator != "=" and _GROUPS[type(term.value)] in {"flag", "raw"}:
        raise MalformedError(f"booleans and octets have no order: {term}")
    if term.operator == "range" and _GROUPS.get(type(term.upper)) != _GROUPS[type(term.value)]:
        raise MalformedError(f"a range needs two borders of one type: {term}")
    return term


def _tests(term: Term) -> list[_Test]:
    group = _GROUPS[type(term.value)]
    if term.operator == "range" and term.upper is not None:
        low: _Test = (term.parameter, group, ge, term.value)
        return [low, (term.parameter, group, le, term.upper)]
    return [(term.parameter, group, _RELATIONS[term.operator], term.value)]
