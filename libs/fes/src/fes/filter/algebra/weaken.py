"""Weakening: simpler conditions that are true wherever a filter is."""

from typing import Any, Final

from fes.filter.algebra.interval import Interval
from fes.filter.algebra.simple import reference_of, references_in
from fes.filter.language.patterns import wildcard_of
from fes.filter.language.text import to_text
from fes.filter.language.tree import (
    Affix,
    Affixed,
    Among,
    And,
    Comparison,
    Condition,
    Constant,
    Exists,
    IsTrue,
    Like,
    Not,
    Operand,
    Or,
    Relation,
    Subject,
    all_of,
    any_of,
)
from fes.filter.values import kind_of
from fes.wildcard import Element

_WIDER: Final[dict[Relation, tuple[Relation, ...]]] = {
    "=": (">=", "<="),
    "<": ("<=",),
    ">": (">=",),
}


def truths(tree: Condition) -> Condition:
    """Return a condition that is true for the same events, and may be false where it was unknown.

    Args:
        tree: In normal form.
    """
    match tree:
        case IsTrue(item):
            return item
        case And(items):
            return all_of(tuple(truths(item) for item in items))
        case Or(items):
            return any_of(tuple(truths(item) for item in items))
    return tree


def same_otherwise(test: Condition) -> Condition | None:
    """Return an equivalent of a test: IN as alternatives, a prefix as an interval.

    Returns:
        None where there is no equivalent.
    """
    match test:
        case Among(operand, values):
            return any_of(tuple(Comparison(operand, "=", constant) for constant in values))
        case Affixed(operand, "STARTS WITH", text):
            ends = _ends_of_prefix(operand, text)
            return all_of(ends) if len(ends) > 1 else None
    return None


def consequences(test: Condition) -> tuple[Condition, ...]:
    """Return the closest tests of the value that follow from a test in normal form."""
    match test:
        case Comparison(operand, relation, Constant(value)) if not isinstance(value, bool):
            wider = _WIDER.get(relation, ())
            return tuple(Comparison(operand, each, Constant(value)) for each in wider)
        case Among(operand, values):
            return _ends_of_values(operand, [constant.value for constant in values])
        case Like():
            return _ends_of_pattern(test)
        case Affixed(operand, affix, text):
            ends = _ends_of_prefix(operand, text) if affix == "STARTS WITH" else ()
            has_part = affix != "CONTAINS" and text
            return (*ends, Affixed(operand, "CONTAINS", text)) if has_part else ends
    return ()


def existence(test: Condition) -> tuple[Condition, ...]:
    """Return a test of existence for each name without which a test cannot be true."""
    match test:
        case Exists() | Not(Exists()):
            return ()
    reference = reference_of(test)
    names = {reference} if reference else {name for name, _ in references_in(test)}
    found = (Exists(name) for name in names if not isinstance(name, Subject))
    return tuple(sorted(found, key=to_text))


def _ends_of_values(operand: Operand, values: list[Any]) -> tuple[Condition, ...]:
    if {kind_of(value) for value in values} not in ({"number"}, {"string"}):
        return ()
    low, high = Constant(min(values)), Constant(max(values))
    return (Comparison(operand, ">=", low), Comparison(operand, "<=", high))


def _ends_of_pattern(test: Like) -> tuple[Condition, ...]:
    pattern = wildcard_of(test)
    parts: list[tuple[Affix, str]] = [
        ("STARTS WITH", pattern.prefix),
        ("ENDS WITH", pattern.suffix),
        *(("CONTAINS", part) for part in _plain_parts(pattern.elements)[1:-1]),
    ]
    return tuple(Affixed(test.operand, affix, text) for affix, text in parts if text)


def _plain_parts(elements: tuple[Element, ...]) -> list[str]:
    """Return the texts between wildcards, the first and the last one included, even if empty."""
    parts = [""]
    for element in elements:
        if isinstance(element, str):
            parts[-1] += element
        elif parts[-1] or len(parts) == 1:
            parts.append("")
    return parts


def _ends_of_prefix(operand: Operand, text: str) -> tuple[Condition, ...]:
    above = Interval().starting_with(text).high
    low = Comparison(operand, ">=", Constant(text))
    return (low,) if above is None else (low, Comparison(operand, "<", Constant(above)))
