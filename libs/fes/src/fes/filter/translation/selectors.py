"""Filters as JMS selectors, in the names of properties."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
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
from fes.filter.language.tree import Condition, Like, Subject
from fes.filter.translation.translate import translate
from fes.filter.translation.vocabulary import Term
from fes.wildcard import Element, Wild

MAX_ALTERNATIVES: Final = 32
"""Most alternatives of one selector; more are widened to what they share."""

SELECTOR_CHARS: Final = 16_384
"""Longest selector; a longer one is left out, and counted as widened."""

PRESENCE: Final = ("EXISTS", "NOT EXISTS")

_PATTERNS: Final = ("LIKE", "STARTS WITH", "ENDS WITH", "CONTAINS")
_TEXTS: Final = ("=", "<>", "IN", *_PATTERNS, *(f"NOT {op}" for op in _PATTERNS))
_WILD: Final[dict[Element, str]] = {Wild.ONE: ONE, Wild.RUN: RUN}


@dataclass(frozen=True, slots=True)
class Selectable:
    """The terms that selectors apply, in the names of one adapter.

    Attributes:
        text: Returns the test of a term; "" where what is subscribed to applies it, None where
            nothing does.
        rename: See `Vocabulary`.
        max_disjuncts: See `Vocabulary`.
    """

    text: Callable[[Term], str | None]
    rename: Callable[[Term], Term | None]
    max_disjuncts: int = MAX_ALTERNATIVES

    def supports(self, term: Term) -> bool:
        """Return whether a term is applied."""
        return self.text(term) is not None


@dataclass(frozen=True, slots=True)
class Selector:
    """What a filter becomes.

    Attributes:
        text: Accepts whatever the filter does; "" for everything, None where that is nothing.
        widened: In words, what it lets pass beyond the filter.
    """

    text: str | None
    widened: tuple[str, ...]


def selector_of(tree: Condition, terms: Selectable) -> Selector:
    """Return the selector of a filter."""
    found = translate(tree, terms)
    if not found.disjuncts:
        return Selector(None, found.widened)
    texts = [_conjunction(terms, each) for each in found.disjuncts]
    text = "" if "" in texts else " OR ".join(dict.fromkeys(texts))
    if len(text) > SELECTOR_CHARS:
        reason = f"a selector of {len(text)} characters is left out"
        return Selector("", (*found.widened, reason))
    return Selector(text, found.widened)


def _conjunction(terms: Selectable, several: Iterable[Term]) -> str:
    texts = filter(None, map(terms.text, several))
    return " AND ".join(f"({each})" if " OR " in each else each for each in texts)


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
