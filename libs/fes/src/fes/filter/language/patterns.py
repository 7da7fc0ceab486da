"""The patterns of LIKE, read into wildcards and written back."""

import functools
from collections.abc import Iterator
from typing import Final

from fes.filter.language.tree import Affixed, Comparison, Condition, Constant, Like
from fes.wildcard import Element, Wild, Wildcard, tidy

ESCAPE: Final = "\\"
"""The escape character in patterns that are written here."""

_SPECIAL: Final = {"%": Wild.RUN, "_": Wild.ONE}
_WRITTEN: Final[dict[Element, str]] = {Wild.RUN: "%", Wild.ONE: "_"}


REMEMBERED: Final = 1024
"""Most compiled patterns kept; the one unused longest is dropped first."""


@functools.lru_cache(maxsize=REMEMBERED)
def wildcard_of(test: Like | Affixed) -> Wildcard:
    """Return the wildcard that is equivalent to a test of a string."""
    if isinstance(test, Like):
        return Wildcard.of(_elements(test.pattern, test.escape))
    before = (Wild.RUN,) if test.affix != "STARTS WITH" else ()
    after = (Wild.RUN,) if test.affix != "ENDS WITH" else ()
    return Wildcard.of((*before, *test.text, *after))


def simplest(test: Like | Affixed) -> Condition:
    """Return the plainest test that is true, false and unknown for the same values."""
    elements = tidy(wildcard_of(test).elements)
    body = tuple(element for element in elements if isinstance(element, str))
    text, where = "".join(body), [element for element in elements if not isinstance(element, str)]
    if not where:
        return Comparison(test.operand, "=", Constant(text))
    if body and elements == (*body, Wild.RUN):
        return Affixed(test.operand, "STARTS WITH", text)
    if body and elements == (Wild.RUN, *body):
        return Affixed(test.operand, "ENDS WITH", text)
    if body and elements == (Wild.RUN, *body, Wild.RUN):
        return Affixed(test.operand, "CONTAINS", text)
    pattern = "".join(_written(element) for element in elements)
    return Like(test.operand, pattern, ESCAPE if ESCAPE in pattern else "")


def _elements(pattern: str, escape: str) -> Iterator[Element]:
    chars = iter(pattern)
    for char in chars:
        if escape and char == escape:
            yield next(chars, escape)
        else:
            yield _SPECIAL.get(char, char)


def _written(element: Element) -> str:
    if isinstance(element, str):
        return ESCAPE + element if element in ("%", "_", ESCAPE) else element
    return _WRITTEN[element]
