"""Parses a filter's text into its syntax tree. The grammar itself is `grammar.lark`."""

import functools
from importlib import resources

from lark import Lark, UnexpectedInput

from fes.filter.language.build import Builder
from fes.filter.language.explain import explain
from fes.filter.language.scan import DEFAULT_LIMITS, FilterLimits, scan
from fes.filter.language.tree import Condition, Truth


def parse(text: str, limits: FilterLimits = DEFAULT_LIMITS) -> Condition:
    """Return the syntax tree of a filter.

    Args:
        text: In the language of design, section 5; a blank filter accepts every event.
        limits: Bounds of the text, checked before it is parsed.

    Raises:
        FilterError: The text exceeds a limit or is not in the language; the message states what
            was found, what was expected, and where.
    """
    return parse_by(text, limits, selector=False)


def parse_by(text: str, limits: FilterLimits, *, selector: bool) -> Condition:
    """Return the syntax tree of a filter, or of a JMS selector in the same grammar.

    Args:
        text: A filter or a selector.
        limits: Bounds of the text, checked before it is parsed.
        selector: Whether a word alone, and `subject`, are properties.

    Raises:
        FilterError: As for `parse`.
    """
    scan(text, limits)
    if not text.strip():
        return Truth(value=True)
    try:
        node = _parser().parse(text)
    except UnexpectedInput as error:
        raise explain(error, text) from error
    builder = Builder(text, selector=selector)
    return builder.condition(node) if selector else builder.whole(node)


@functools.cache
def _parser() -> Lark:
    grammar = resources.files("fes.filter.language").joinpath("grammar.lark").read_text("utf-8")
    return Lark(grammar, parser="lalr", lexer="basic", propagate_positions=True)
