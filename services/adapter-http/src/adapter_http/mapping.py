"""Types of CloudEvents as names of the federation: each has one form on the other side."""

from collections.abc import Iterable
from typing import Final

from fes.mapping.topics.levels import Syntax, TopicNames, matches
from fes.model import is_reserved

HTTP: Final = Syntax("HTTP", ".", "*", ">", False, "\0", True, False)
"""Syntax of types, which are any text; the binding encodes what a header cannot contain."""

NAMES: Final = TopicNames(HTTP)


def accepts(patterns: Iterable[str], type_: str) -> bool:
    """Return whether a target receives events of a type.

    Args:
        patterns: Types; `*` is one level, `>` the last ones. Control events need their own type.
        type_: Type of the event.
    """
    if is_reserved(type_):
        return type_ in patterns
    return any(matches(pattern, type_, HTTP) for pattern in patterns)
