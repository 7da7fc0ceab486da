"""Counters of decisions, with a fixed set of reasons."""

from collections import Counter
from typing import NamedTuple

KNOWN_REASONS = frozenset(
    {
        "",
        "repeated",
        "no subscription",
        "no route",
        "lies behind where it came from",
        "link",
        "link down",
        "malformed",
        "reserved subject",
        "link queue full",
        "journal queue full",
        "expired",
        "hop limit",
        "not newer",
        "custody is full",
        "no such event service",
        "home is the destination",
        "path names its destination",
        "row of the journal cannot be read",
        "too many wait for their StartTime",
    }
)


class Labels(NamedTuple):
    """The labels of a counter."""

    decision: str
    reason: str
    type: str


class Counters:
    """Counts decisions; any other reason counts as `other`."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def add(self, decision: str, reason: str = "", type_: str = "", count: int = 1) -> None:
        """Count a decision, or several equal ones."""
        known = reason if reason in KNOWN_REASONS else "other"
        self._counts[decision, known, type_] += count

    def items(self) -> list[tuple[Labels, int]]:
        """Return every counter, sorted by its labels."""
        return sorted((Labels(*labels), count) for labels, count in self._counts.items())
