"""Simple tests: one name compared with constants, which event services can apply."""

from collections.abc import Iterator

from fes.filter.language.tree import (
    Affixed,
    Among,
    Arithmetic,
    Attribute,
    Comparison,
    Condition,
    Constant,
    Exists,
    Like,
    Negative,
    Not,
    Operand,
    Parameter,
    Reference,
    Subject,
)


def reference_of(test: Condition) -> Reference | None:
    """Return the name in a simple test; None where the test is not simple."""
    match test:
        case Exists(Subject() | Parameter() | Attribute() as reference):
            return reference
        case Comparison(Subject() | Parameter() | Attribute() as reference, _, Constant()):
            return reference
        case Among(operand, _) | Affixed(operand, _, _) | Like(operand, _, _):
            return operand if isinstance(operand, Subject | Parameter | Attribute) else None
        case Not(Affixed() | Like() | Exists() as inverted):
            return reference_of(inverted)
    return None


def names_in(test: Condition) -> tuple[Reference, ...]:
    """Return the names in a single test, each once, the subject included."""
    reference = reference_of(test)
    if reference is not None:
        return (reference,)
    return tuple(dict.fromkeys(name for name, _ in references_in(test)))


def references_in(test: Condition) -> Iterator[tuple[Reference, bool]]:
    """Yield the names that must exist for a test that is not simple to be true.

    Yields:
        Each name, and whether a calculation uses it, so that its value must be a number.
    """
    if reference_of(test) is not None:
        return
    match test:
        case Comparison(left, _, right):
            yield from _references(left, calculated=False)
            yield from _references(right, calculated=False)
        case Among(operand, _) | Affixed(operand, _, _) | Like(operand, _, _):
            yield from _references(operand, calculated=False)
        case Not(Affixed() | Like() as inverted):
            yield from references_in(inverted)


def _references(operand: Operand, *, calculated: bool) -> Iterator[tuple[Reference, bool]]:
    match operand:
        case Subject() | Parameter() | Attribute():
            yield operand, calculated
        case Negative(inner):
            yield from _references(inner, calculated=True)
        case Arithmetic(left, _, right):
            yield from _references(left, calculated=True)
            yield from _references(right, calculated=True)
