"""What a reader of a log calls for each oddity that it finds."""

from collections import Counter, deque
from typing import Final, Protocol

KEPT_NOTES: Final = 20
"""Most broken places that are kept in words; what comes later is only counted."""


class Watch(Protocol):
    """Is notified of what is odd in a log; may raise to end the reading."""

    def broken(self, line: int, reason: str) -> None:
        """Note a line that reports no frame.

        Args:
            line: Counted from 1; 0 in a log that has no lines, where `reason` names the object.
            reason: Why.
        """

    def missing(self, count: int, reason: str) -> None:
        """Note records that the log promises and does not have."""

    def noticed(self, what: str, line: int) -> None:
        """Note a line that reports no frame and need not, or that was read all the same.

        Args:
            what: `nul_bytes` (the line contains any), `short_fraction` (read as a decimal: `.24` is
                0.24 s; the C tools read microseconds), `differences` (times are differences, and
                were added up), `date_without_zone` (treated as UTC), `status_line`, `other_event`,
                `other_object` (no frame).
            line: Its number, from 1; 0 in a log that has no lines.
        """


class LogNotes:
    """Counts what is odd in a log, and keeps the first broken lines in words.

    Attributes:
        counts: By what it was: `broken_line`, `missing`, and what `Watch.noticed` is reported.
        notes: `line: reason`.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.notes: deque[str] = deque()

    def broken(self, line: int, reason: str) -> None:
        """Count a broken line."""
        self.counts["broken_line"] += 1
        self._note(f"{line}: {reason}" if line else reason)

    def missing(self, count: int, reason: str) -> None:
        """Count what is not there."""
        self.counts["missing"] += count
        self._note(reason)

    def noticed(self, what: str, line: int) -> None:
        """Count something odd."""
        del line
        self.counts[what] += 1

    def _note(self, text: str) -> None:
        if len(self.notes) < KEPT_NOTES:
            self.notes.append(text)
