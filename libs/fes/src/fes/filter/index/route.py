"""How the index finds a filter: the tests that lead to it, and the remaining ones."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from fes.filter.algebra.alternatives import alternatives
from fes.filter.algebra.normal import normalise
from fes.filter.algebra.weaken import truths
from fes.filter.index.spans import Span, span_of
from fes.filter.language.tree import (
    Affixed,
    Among,
    And,
    Attribute,
    Comparison,
    Condition,
    Constant,
    Or,
    Parameter,
    Reference,
    Subject,
    all_of,
    any_of,
    conjuncts,
)
from fes.filter.values import ORDERINGS

MAX_ALTERNATIVES: Final = 64
"""Most entries of one filter; one that would need more is tested whole."""

Name = Parameter | Attribute


@dataclass(frozen=True, slots=True)
class Route:
    """One conjunction of a filter.

    Attributes:
        subject: The only subject of its events; None where it may be any.
        equal: Names and the constants that they equal, sorted by name.
        span: A name and the range of its value; None where no test specifies one.
        rest: The remaining tests.
    """

    subject: str | None
    equal: tuple[tuple[Name, Any], ...]
    span: tuple[Reference, Span] | None
    rest: tuple[Condition, ...]


def routes(tree: Condition) -> Iterator[Route]:
    """Yield the conjunctions of a filter: it is true wherever one of them is, and only there."""
    if all(_is_plain(test) for test in conjuncts(tree)):
        yield _route(conjuncts(tree))
        return
    wanted = truths(normalise(tree))
    found, widened = alternatives(_apart(wanted), MAX_ALTERNATIVES)
    for tests in found:
        yield _route((*tests, wanted) if widened else tests)


def _is_plain(test: Condition) -> bool:
    return isinstance(test, Comparison) and (
        isinstance(test.right, Constant) and isinstance(test.left, Name | Subject)
    )


def _apart(tree: Condition) -> Condition:
    """Return a filter with each short IN split into alternatives."""
    match tree:
        case And(items):
            return all_of(tuple(_apart(item) for item in items))
        case Or(items):
            return any_of(tuple(_apart(item) for item in items))
        case Among(operand, constants) if len(constants) <= MAX_ALTERNATIVES:
            return Or(tuple(Comparison(operand, "=", constant) for constant in constants))
    return tree


def _route(tests: Iterable[Condition]) -> Route:
    subject: str | None = None
    equal: dict[Name, Any] = {}
    spans: dict[Reference, list[Condition]] = {}
    rest: list[Condition] = []
    for test in tests:
        name, value = _compared(test)
        if name is None:
            rest.append(test)
        elif value is None:
            spans.setdefault(name, []).append(test)
        elif isinstance(name, Name):
            if equal.setdefault(name, value) is not value:
                rest.append(test)
        elif subject is None and isinstance(value, str):
            subject = value
        else:
            rest.append(test)
    keys = tuple(sorted(equal.items(), key=_by_name)) if len(equal) > 1 else (*equal.items(),)
    return Route(subject, keys, _best(spans, rest) if spans else None, tuple(rest))


def _compared(test: Condition) -> tuple[Reference | None, Any]:
    """Return the name in a test, and the constant to which it must be equal.

    Returns:
        No constant where the test specifies a range; no name where it specifies neither.
    """
    if isinstance(test, Comparison):
        name, value = test.left, getattr(test.right, "value", None)
        if isinstance(name, Name | Subject) and value is not None:
            if test.relation == "=":
                return name, value
            if test.relation in ORDERINGS and value.__class__ is not bool:
                return name, None
    elif isinstance(test, Affixed) and test.affix == "STARTS WITH":
        name = test.operand
        return (name if isinstance(name, Name | Subject) else None), None
    return None, None


def _by_name(pair: tuple[Name, Any]) -> tuple[str, str]:
    return (pair[0].name, type(pair[0]).__name__)


def _best(
    spans: dict[Reference, list[Condition]], rest: list[Condition]
) -> tuple[Reference, Span] | None:
    """Return the narrowest span, and add the tests of the others to the rest."""
    best: tuple[Reference, Span] | None = None
    for name, tests in spans.items():
        span = span_of(tests)
        if span is None or (best is not None and span.shape != "between"):
            rest.extend(tests)
            continue
        if best is not None:
            rest.extend(spans[best[0]])
        best = (name, span)
    return best
