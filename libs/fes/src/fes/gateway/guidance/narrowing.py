"""Filters that policy decisions narrow: what a rule lets pass joins the filter that travels."""

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any, Final

from fes.errors import FilterError
from fes.filter import canonical, parse
from fes.filter.language.text import to_text
from fes.filter.language.tree import (
    Attribute,
    Comparison,
    Condition,
    Constant,
    Exists,
    Reference,
    Subject,
    Truth,
    all_of,
    any_of,
)
from fes.mapping.inversion.asked import subjects_of

CACHED: Final = 4096
USER, DEVICE = Attribute("User"), Attribute("Device")
"""What a rule's filter reads of whoever requests the events."""


@functools.lru_cache(maxsize=CACHED)
def subjects_in(text: str) -> frozenset[str] | None:
    """Return the only subjects that a filter admits; None where it admits any, or is not valid."""
    try:
        return subjects_of(parse(text))
    except FilterError:
        return None


def narrowed(text: str, rights: Mapping[str, str], user: str, device: str) -> tuple[str, str]:
    """Return a filter that accepts no more than what is permitted, canonical and as text.

    Args:
        text: The filter of the request.
        rights: By permitted subject the filter of what is permitted; "" where all of it is.
        user: Who requests the events.
        device: Type of the device that they go to.

    Raises:
        FilterError: A filter is not valid, or both together are too large.
    """
    known: dict[Reference, Constant] = {USER: Constant(user), DEVICE: Constant(device)}
    parts = [_permitted(subject, rights[subject], known) for subject in sorted(rights)]
    tree = all_of((parse(text), any_of(tuple(parts))))
    made = to_text(tree)
    parse(made)  # within the limits of filters that travel
    return canonical(tree), made


def _permitted(subject: str, text: str, known: Mapping[Reference, Constant]) -> Condition:
    named = Comparison(Subject(), "=", Constant(subject))
    if not text:
        return named
    condition: Condition = substituted(parse(text), known)
    return all_of((named, condition))


def substituted(node: Any, known: Mapping[Reference, Constant]) -> Any:
    """Return a part of a syntax tree with constants in the place of references."""
    if isinstance(node, Exists) and node.reference in known:
        return Truth(value=True)
    if isinstance(node, Attribute) and node in known:
        return known[node]
    if isinstance(node, tuple):
        return tuple(substituted(each, known) for each in node)
    if dataclasses.is_dataclass(node) and not isinstance(node, Constant | type):
        changed = {
            each.name: substituted(getattr(node, each.name), known)
            for each in dataclasses.fields(node)
        }
        return dataclasses.replace(node, **changed)
    return node
