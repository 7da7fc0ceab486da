"""What follows from a test: simpler tests that are true wherever it is."""

from typing import Any, Final

from fes.filter.patterns import wildcard_of
from fes.filter.simple import reference_of, references_in
from fes.filter.text import to_text
from fes.filter.tree import (
    Affixed,
    Among,
    Comparison,
    Condition,
    Constant,
    Exists,
    Like,
    Not,
    Operand,
    Relation,
    Subject,
)
from fes.filter.values import kind_of

_WIDER: Final[dict[Relation, tuple[Relation, ...]]] = {
    "=": (">=", "<="),
    "<": ("<=",),
    ">": (">=",),
}


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
        case Affixed(operand, "STARTS WITH", text):
            return (Comparison(operand, ">=", Constant(text)),)
    return ()


def existence(test: Condition) -> tuple[Condition, ...]:
    """Return for each name without which a test cannot be true that it exists."""
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
    starts = Affixed(test.operand, "STARTS WITH", pattern.prefix)
    ends = Affixed(test.operand, "ENDS WITH", pattern.suffix)
    return tuple(affixed for affixed in (starts, ends) if affixed.text)
