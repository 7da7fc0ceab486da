"""The numbers of orders and rows of custody: each is assigned once in the life of a gateway.

An adapter that outlives its gateway still uses the numbers of the process before, and they must
mean nothing now. So numbers are reserved in the journal ahead of their use.
"""

from collections.abc import Mapping

from fes.gateway.outputs import PutRow

RESERVED = "reserved"
"""Key, in the journal, of the number up to which numbers may have been assigned."""

AT_A_TIME = 1_000_000
"""Numbers that are reserved at a time."""


class Numbering:
    """Assigns numbers.

    Args:
        after: Numbers begin above it.
    """

    def __init__(self, after: int) -> None:
        self._last = after
        self._reserved = 0

    def next(self) -> int:
        """Assign the next number, and return it."""
        self._last += 1
        return self._last

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Begin above what the journal reserved."""
        self._reserved = int(state.get(RESERVED, b"0"))
        self.begin_above(self._reserved)

    def begin_above(self, number: int) -> None:
        """Assign no number up to one that may be in use."""
        self._last = max(self._last, number)

    def reserve(self) -> tuple[PutRow, ...]:
        """Reserve further numbers where some were assigned that were not; return the rows."""
        if self._last <= self._reserved:
            return ()
        self._reserved = self._last + AT_A_TIME
        return (PutRow(RESERVED, str(self._reserved).encode()),)
