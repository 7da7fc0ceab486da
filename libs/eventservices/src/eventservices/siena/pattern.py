"""Patterns: sequences of filters, each matched by a later notification than the one before it."""

from dataclasses import dataclass

from eventservices.errors import MalformedError
from eventservices.siena.filters import Filter

MAX_FILTERS = 100


@dataclass(frozen=True, slots=True)
class Pattern:
    """A sequence of filters; others' notifications may lie between those that match it.

    Attributes:
        filters: In the order in which notifications must match them; at least one.

    Raises:
        MalformedError: There is none, or there are more than `MAX_FILTERS`.

    Source:
        SIENA's `Pattern`; digest `reference/siena.md`, section 1.
    """

    filters: tuple[Filter, ...]

    def __post_init__(self) -> None:
        """Check the number of filters."""
        if not 1 <= len(self.filters) <= MAX_FILTERS:
            raise MalformedError(f"a pattern has 1 .. {MAX_FILTERS} filters: {len(self.filters)}")


def sequence(*filters: Filter) -> Pattern:
    """Return a pattern, e.g. `sequence(where(("on", "=", True)), where(("on", "=", False)))`."""
    return Pattern(filters)
