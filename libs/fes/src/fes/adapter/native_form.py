"""The native form of a filter, for people to read: `fes filter explain` shows it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NativeForm:
    """A filter in an event service's own language.

    Attributes:
        lines: Native filters, of which one must match; none at all where the filter accepts
            nothing.
        widened: What they accept beyond the filter, and why; empty where the native form is exact.
    """

    lines: tuple[str, ...]
    widened: tuple[str, ...]
