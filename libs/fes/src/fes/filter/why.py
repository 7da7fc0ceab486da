"""Explains to people why a filter is unknown for an event."""

from collections.abc import Iterator
from math import isnan
from typing import Any

from fes.filter.algebra.simple import names_in
from fes.filter.evaluate import compile_filter, getter
from fes.filter.language.explain import shortened
from fes.filter.language.text import operand_text, to_text
from fes.filter.language.tree import (
    And,
    Attribute,
    Condition,
    IsTrue,
    Not,
    Or,
    Parameter,
    Reference,
    Within,
)
from fes.filter.place import POSITIONS
from fes.filter.values import kind_of
from fes.model.event import Event


def why_unknown(tree: Condition, event: Event) -> tuple[str, ...]:
    """Return why a filter is unknown for an event.

    Returns:
        A reason for each single test that makes it unknown, each once; none where it is not
        unknown.
    """
    if compile_filter(tree)(event) is not None:
        return ()
    return tuple(dict.fromkeys(_reasons(tree, event)))


def _reasons(tree: Condition, event: Event) -> Iterator[str]:
    if compile_filter(tree)(event) is not None:
        return
    match tree:
        case And(items) | Or(items):
            for item in items:
                yield from _reasons(item, event)
        case Not(item) | IsTrue(item):
            yield from _reasons(item, event)
        case _:
            yield f"{shortened(to_text(tree))} is unknown: {_reason(tree, event)}"


def _reason(test: Condition, event: Event) -> str:
    if isinstance(test, Within):
        pairs = ", or ".join(" and ".join(pair) for pair in POSITIONS)
        return f"the event has no position on Earth in {pairs}"
    names = names_in(test)
    absent = [_called(name) for name in names if getter(name)(event) is None]
    if absent:
        return f"the event has no {' and no '.join(absent)}"
    told = ", ".join(f"{operand_text(name)} is {_kind(getter(name)(event))}" for name in names)
    return told or "no such values can be compared"


def _called(name: Reference) -> str:
    match name:
        case Parameter(identifier):
            return f"parameter {identifier}"
        case Attribute(identifier):
            return f"attribute {identifier}"
    return "subject"


def _kind(value: Any) -> str:
    if value.__class__ is float and isnan(value):
        return "NaN, which has no order"
    kind = kind_of(value)
    if kind is not None:
        return f"the {kind} {shortened(repr(value), 40)}"
    return "octets" if isinstance(value, bytes) else "an event"
