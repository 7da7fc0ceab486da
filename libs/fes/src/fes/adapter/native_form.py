"""What a filter becomes at an event service, for people: `fes filter explain` shows it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NativeForm:
    """A filter in an event service's own words.

    Attributes:
        lines: Native filters, one of which must hold; none at all where the filter accepts nothing.
        widened: What they let pass beyond the filter, and why; empty where that is nothing.
    """

    lines: tuple[str, ...]
    widened: tuple[str, ...]
