"""The protocol of all journals.

Source:
    design, section 6, Store.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol


class Entry(NamedTuple):
    """One change: a key has a new value, or is deleted.

    Attributes:
        key: Identifies what changed.
        value: Its new value; None where it is deleted.
    """

    key: str
    value: bytes | None


class Tail(NamedTuple):
    """The entries after a sequence number, as of one moment.

    Attributes:
        whole: Whether the entries result in the whole state. A reader then discards what it had,
            since deletions are not reported.
        sequence: Sequence number to append at, and to continue reading from.
        entries: In order.
    """

    whole: bool
    sequence: int
    entries: tuple[Entry, ...]


class Journal(Protocol):
    """An ordered journal that several processes may append to at the same time.

    A batch is durable, whole and in order, once `append` returned; or nothing of it is. Sequence
    numbers increase and are otherwise opaque: some may be left out. Safe to call from several
    threads.
    """

    def append(self, batch: Sequence[Entry], expected_sequence: int) -> int:
        """Append a batch.

        Args:
            batch: Changes, in order; an empty one changes nothing.
            expected_sequence: Sequence number up to which the caller has read; 0 for nothing.

        Returns:
            Sequence number of the batch's end. The caller has read up to there.

        Raises:
            BehindError: Another has appended meanwhile: read further and decide again.
            StoreError: The journal cannot be written. Nothing was appended; where that cannot be
                known yet, the same call again finds out, and appends it at most once.
        """

    def read(self, after: int = 0) -> Tail:
        """Return everything after a sequence number, as of one moment.

        Args:
            after: Sequence number up to which the caller has read; 0 for nothing.

        Returns:
            What came since. It is whole after 0, after what a snapshot has replaced since, and
            after what this journal never reached.

        Raises:
            StoreError: The journal cannot be read, or has what is not an entry.
        """

    def watch(self, changed: Callable[[], None]) -> None:
        """Call a function soon after any append, until the journal is closed.

        Args:
            changed: Called from a thread of the journal's own, at most about 100 ms later; several
                batches may result in one call, and a call may be without cause.

        Raises:
            StoreError: The journal cannot be watched.
        """

    def snapshot(self) -> int:
        """Replace the entries so far by the state that they result in.

        Returns:
            Sequence number of the state: `read` after it returns what came since.

        Raises:
            StoreError: It cannot be written; the journal is unchanged.
        """

    def sequence(self) -> int:
        """Return the sequence number of the last entry; 0 where there is none."""

    def close(self) -> None:
        """Close the journal; idempotent."""


def fold(entries: Iterable[Entry]) -> dict[str, bytes]:
    """Return the state that entries result in."""
    state: dict[str, bytes] = {}
    for key, value in entries:
        if value is None:
            state.pop(key, None)
        else:
            state[key] = value
    return state
