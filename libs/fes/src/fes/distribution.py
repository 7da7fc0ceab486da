"""Distribution lists: which event services a control event is for.

A list is comma-separated; in a name, `*` represents any run of characters and `?` for exactly
one. Spaces around a name are ignored and no other character is special.
"""

import functools
from typing import Final

from fes.errors import ControlEventError
from fes.wildcard import Wild, Wildcard

MAX_PATTERNS: Final = 64
"""Most patterns of one list."""
MAX_LENGTH: Final = 512
"""Most characters of one pattern."""
MAX_WILD: Final = 8
"""Most patterns with wildcards of one list: they are compared with one another."""
MAX_WILD_LENGTH: Final = 128
"""Most characters of a pattern with wildcards."""
CACHE_SIZE: Final = 1024
"""Compiled patterns, and lists, kept; the one unused longest goes first. `cache_info` counts."""

_SPECIAL: Final = {"*": Wild.RUN, "?": Wild.ONE}


@functools.lru_cache(maxsize=CACHE_SIZE)
def parse_list(text: str, *, nobody_allowed: bool = False) -> tuple[str, ...]:
    """Return the patterns of a distribution list, in order, each once.

    Args:
        text: As a client wrote it.
        nobody_allowed: Whether an empty list is an empty tuple, not an error.

    Raises:
        ControlEventError: The list names nobody, an element is empty, or a limit is exceeded; the
            message names the parameter and the element.

    Source:
        design, section 4.
    """
    if not text.strip(" "):
        if nobody_allowed:
            return ()
        raise ControlEventError("DistList names nobody")
    if text.count(",") >= MAX_PATTERNS:
        raise ControlEventError(f"DistList has more than {MAX_PATTERNS} elements")
    names: dict[str, None] = {}
    column = 1
    for number, element in enumerate(text.split(","), 1):
        names[_name(element, number, column)] = None
        column += len(element) + 1
    if sum(map(is_pattern, names)) > MAX_WILD:
        raise ControlEventError(f"DistList has more than {MAX_WILD} patterns with wildcards")
    return tuple(names)


def matches(pattern: str, name: str) -> bool:
    """Return whether an event service's identifier matches a pattern; case counts.

    The time is linear in the length of `name`.
    """
    if "*" not in pattern and "?" not in pattern:
        return pattern == name
    return pattern == "*" or _compiled(pattern).matches(name)


def matches_any(patterns: tuple[str, ...], name: str) -> bool:
    """Return whether an identifier matches one of several patterns."""
    return any(matches(pattern, name) for pattern in patterns)


def covers_pattern(wider: str, narrower: str) -> bool:
    """Return whether `wider` matches every name that `narrower` matches; never wrongly true.

    The time is linear in the length of `narrower`.
    """
    if wider in ("*", narrower):
        return True
    if not is_pattern(wider):
        return False
    if not is_pattern(narrower):
        return _compiled(wider).matches(narrower)
    return _compiled(wider).covers(_compiled(narrower))


def is_pattern(text: str) -> bool:
    """Return whether a text may match several names."""
    return "*" in text or "?" in text


def _name(element: str, number: int, column: int) -> str:
    name = element.strip(" ")
    place = f"DistList: element {number} (column {column})"
    if not name:
        raise ControlEventError(f"{place} is empty")
    if len(name) > MAX_LENGTH:
        raise ControlEventError(f"{place} is longer than {MAX_LENGTH} characters")
    if len(name) > MAX_WILD_LENGTH and is_pattern(name):
        raise ControlEventError(
            f"{place} has wildcards and is longer than {MAX_WILD_LENGTH} characters"
        )
    return name


@functools.lru_cache(maxsize=CACHE_SIZE)
def _compiled(pattern: str) -> Wildcard:
    return Wildcard.of(_SPECIAL.get(char, char) for char in pattern)
