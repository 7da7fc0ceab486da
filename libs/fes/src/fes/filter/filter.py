"""A filter: its text, tree, canonical text and compiled test."""

from dataclasses import dataclass, field

from fes.filter.canonical import canonical
from fes.filter.evaluate import Test, compile_filter
from fes.filter.language.grammar import parse
from fes.filter.language.scan import DEFAULT_LIMITS, FilterLimits
from fes.filter.language.tree import Condition
from fes.model.event import Event


@dataclass(frozen=True, slots=True)
class Filter:
    """A parsed filter; equal to one that differs only in how it is written.

    Attributes:
        text: As the client wrote it.
        tree: Its syntax tree.
        canonical: Its canonical text.
        test: Returns whether the filter is true, false, or unknown (None) for an event.
    """

    text: str = field(compare=False)
    tree: Condition = field(compare=False, repr=False)
    canonical: str = field(repr=False)
    test: Test = field(compare=False, repr=False)

    @staticmethod
    def of(text: str, limits: FilterLimits = DEFAULT_LIMITS) -> "Filter":
        """Return the filter of a text.

        Raises:
            FilterError: As for `parse`.
        """
        tree = parse(text, limits)
        return Filter(text, tree, canonical(tree), compile_filter(tree))

    def matches(self, event: Event) -> bool:
        """Return whether the filter accepts an event: whether it is true for it."""
        return self.test(event) is True
