"""What every journal can do.

Source:
    design, section 6, Store.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol


class Entry(NamedTuple):
    """One change: a key has a new value, or is gone.

    Attributes:
        key: Names what changed.
        value: Its new value; None where it is gone.
    """

    key: str
    value: bytes | None


class Journal(Protocol):
    """An ordered journal.

    A batch is durable, whole and in order, once `append` returned; or nothing of it is.
    """

    def append(self, batch: Sequence[Entry], expected_sequence: int) -> int:
        """Append a batch.

        Args:
            batch: Changes, in order.
            expected_sequence: Sequence number of the last entry that the caller knows of.

        Returns:
            Sequence number of the batch's last entry.

        Raises:
            StoreError: Another has appended meanwhile (read on and decide again), or the journal
                cannot be written; nothing was appended.
        """

    def read(self, after: int = 0) -> Iterator[tuple[int, Entry]]:
        """Yield (sequence number, entry) of what came after a sequence number.

        What a snapshot replaced is yielded as the snapshot's entries, under its number.
        """

    def snapshot(self) -> int:
        """Replace the entries so far by the state that they add up to; return its number."""

    def sequence(self) -> int:
        """Return the sequence number of the last entry; 0 where there is none."""

    def close(self) -> None:
        """Close the journal; harmless twice."""


def fold(entries: Iterable[Entry]) -> dict[str, bytes]:
    """Return the state that entries add up to."""
    state: dict[str, bytes] = {}
    for key, value in entries:
        if value is None:
            state.pop(key, None)
        else:
            state[key] = value
    return state
