"""The canonical text of a filter: the same for filters that differ only in how they are written."""

from fes.filter.algebra.normal import normalise
from fes.filter.language.text import to_text
from fes.filter.language.tree import Condition


def canonical(tree: Condition) -> str:
    """Return a filter's canonical text, the key of requests.

    Spaces, the case of keywords, needless parentheses, the order of AND and OR, BETWEEN and NOT
    do not count. `parse(canonical(tree))` is the normal form of `tree`. The text may be somewhat
    longer than the one that a client wrote: so it is the key, while the client's text is forwarded.
    """
    return to_text(normalise(tree))
