"""Ranges of values in sortable form: each end is a value and an offset beside it."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

from fes.filter.algebra.interval import Interval
from fes.filter.language.tree import Affixed, Comparison, Condition, Constant

End = tuple[Any, int]
"""A value, and 0; or 1 for just above it, -1 for just below it."""


@dataclass(frozen=True, slots=True)
class Span:
    """All values of one kind between two ends, both included.

    Attributes:
        text: Whether they are strings; numbers where not.
        low, high: The ends, one of which may be missing.
    """

    text: bool
    low: End | None
    high: End | None

    @property
    def shape(self) -> Literal["above", "below", "between"]:
        """Which of the ends are there."""
        if self.low is None:
            return "below"
        return "above" if self.high is None else "between"


def span_of(tests: Collection[Condition]) -> Span | None:
    """Return the range of the values that fulfil some tests.

    Returns:
        None where the tests have no such form: they are of several kinds.
    """
    first = next(iter(tests))
    if len(tests) == 1 and isinstance(first, Comparison):
        return _half(first)
    interval = Interval()
    kinds = set()
    for test in tests:
        match test:
            case Comparison(_, relation, Constant(value)):
                kinds.add(isinstance(value, str))
                if len(kinds) > 1:
                    return None
                interval = interval.narrowed(relation, value)
            case Affixed(_, _, text):
                kinds.add(True)
                if len(kinds) > 1:
                    return None
                started = Interval().starting_with(text)
                if started.high is None:
                    return None
                interval = interval.starting_with(text)
    low = None if interval.low is None else (interval.low, 0 if interval.low_closed else 1)
    high = None if interval.high is None else (interval.high, 0 if interval.high_closed else -1)
    return Span(kinds.pop(), low, high)


def _half(test: Comparison) -> Span:
    """Return the range of the values that fulfil a comparison with a constant."""
    value = getattr(test.right, "value", None)
    is_text = isinstance(value, str)
    if test.relation in (">", ">="):
        return Span(is_text, (value, int(test.relation == ">")), None)
    return Span(is_text, None, (value, -int(test.relation == "<")))
