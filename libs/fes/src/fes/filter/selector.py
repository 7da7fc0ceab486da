"""JMS message selectors, read into the filter language.

A selector differs from a filter in tests of values of different kinds: they are false, while in a
filter they are unknown. Strings are not ordered, a word alone is a boolean property, `subject` is a
property like any other, and a blank selector selects everything.
"""

from fes.filter.algebra.simple import names_in
from fes.filter.language.grammar import parse_by
from fes.filter.language.scan import DEFAULT_LIMITS, FilterLimits
from fes.filter.language.tree import (
    And,
    Condition,
    Exists,
    IsTrue,
    Not,
    Or,
    Truth,
    Within,
    all_of,
    any_of,
)


def parse_selector(text: str, limits: FilterLimits = DEFAULT_LIMITS) -> Condition:
    """Return the syntax tree of a filter that selects the same as a JMS selector.

    Args:
        text: In the language of JMS 2.0, section 3.8; tests that exist only in filters may be used
            too.
        limits: Bounds of the text, checked before it is parsed.

    Raises:
        FilterError: The text exceeds a limit, is not in the language, or orders a string.

    Source:
        JMS 2.0, sections 3.8.1.1 and 3.8.1.2.
    """
    return definite(parse_by(text, limits, selector=True))


def definite(tree: Condition) -> Condition:
    """Return the filter with each comparison false that values of different kinds leave unknown.

    Args:
        tree: The filter, with the semantics of the filter language.
    """
    match tree:
        case And(items):
            return all_of(tuple(definite(item) for item in items))
        case Or(items):
            return any_of(tuple(definite(item) for item in items))
        case Not(item):
            return Not(definite(item))
        case IsTrue(item):
            return IsTrue(definite(item))
        case Truth() | Exists() | Within():
            return tree
    absent = any_of(tuple(Not(Exists(name)) for name in names_in(tree)))
    # Unknown where a name is absent; otherwise false where it would be unknown.
    return any_of((IsTrue(tree), all_of((tree, absent))))
