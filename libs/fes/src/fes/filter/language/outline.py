"""Draws a syntax tree for people, one node a line."""

from collections.abc import Iterator

from fes.filter.language.text import to_text
from fes.filter.language.tree import And, Condition, IsTrue, Not, Or

_INDENT = "  "


def outline(tree: Condition) -> tuple[str, ...]:
    """Return the lines of a drawn tree: connectives, with their parts indented below."""
    return tuple(_lines(tree, ""))


def _lines(tree: Condition, indent: str) -> Iterator[str]:
    match tree:
        case And(items) | Or(items):
            yield indent + ("AND" if isinstance(tree, And) else "OR")
            for item in items:
                yield from _lines(item, indent + _INDENT)
        case Not(item) | IsTrue(item):
            yield indent + ("NOT" if isinstance(tree, Not) else "IS TRUE")
            yield from _lines(item, indent + _INDENT)
        case _:
            yield indent + to_text(tree)
