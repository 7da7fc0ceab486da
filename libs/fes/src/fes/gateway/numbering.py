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

    Attributes:
        last: The number that was assigned last.
        reserved: Up to where numbers are reserved.
    """

    def __init__(self, after: int) -> None:
        self.last = after
        self.reserved = 0

    def next(self) -> int:
        """Assign the next number, and return it."""
        self.last += 1
        return self.last

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Begin above what the journal reserved."""
        self.reserved = int(state.get(RESERVED, b"0"))
        self.begin_above(self.reserved)

    def begin_above(self, number: int) -> None:
        """Assign no number up to one that may be in use."""
        self.last = max(self.last, number)

    def reserve(self) -> PutRow:
        """Reserve further numbers; return the row."""
        self.reserved = self.last + AT_A_TIME
        return PutRow(RESERVED, str(self.reserved).encode())
