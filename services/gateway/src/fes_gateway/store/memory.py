"""A journal in memory, for tests and for gateways that may forget."""

from collections.abc import Iterator, Sequence

from fes.errors import StoreError

from fes_gateway.store.journal import Entry, fold


class MemoryJournal:
    """Keeps its entries in memory; see `Journal`."""

    def __init__(self) -> None:
        self._entries: list[tuple[int, Entry]] = []
        self._sequence = 0

    def append(self, batch: Sequence[Entry], expected_sequence: int) -> int:
        """Append a batch; see `Journal`."""
        if expected_sequence != self._sequence:
            raise StoreError(f"journal is at {self._sequence}, expected {expected_sequence}")
        for entry in batch:
            self._sequence += 1
            self._entries.append((self._sequence, entry))
        return self._sequence

    def read(self, after: int = 0) -> Iterator[tuple[int, Entry]]:
        """Yield what came after a sequence number; see `Journal`."""
        yield from [item for item in self._entries if item[0] > after]

    def snapshot(self) -> int:
        """Replace the entries so far by their sum; see `Journal`."""
        state = fold(entry for _, entry in self._entries)
        self._entries = [(self._sequence, Entry(key, value)) for key, value in state.items()]
        return self._sequence

    def sequence(self) -> int:
        """Return the sequence number of the last entry."""
        return self._sequence

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
