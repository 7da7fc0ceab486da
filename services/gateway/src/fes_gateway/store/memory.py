"""A journal in memory, for tests and for gateways that may forget."""

import threading
from collections.abc import Callable, Sequence

from fes.errors import BehindError, StoreError

from fes_gateway.store.bell import Bell
from fes_gateway.store.journal import Entry, Tail, fold


class MemoryPlace:
    """Entries in memory; journals that share them are like replicas that share a file."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.bells: list[Bell] = []
        self.entries: list[Entry] = []
        self.state: dict[str, bytes] = {}
        self.snapshot = 0

    @property
    def sequence(self) -> int:
        """Sequence number of the last entry."""
        return self.snapshot + len(self.entries)


class MemoryJournal:
    """Keeps its entries in memory; see `Journal`.

    Args:
        place: Shared with other journals; one of its own where None.
    """

    def __init__(self, place: MemoryPlace | None = None) -> None:
        self._place = place or MemoryPlace()
        self._bells: list[Bell] = []
        self._closed = False

    def append(self, batch: Sequence[Entry], expected_sequence: int) -> int:
        """Append a batch; see `Journal`."""
        place = self._open()
        with place.lock:
            if expected_sequence != place.sequence:
                found = place.sequence
                raise BehindError(f"journal is at {found}, expected {expected_sequence}")
            place.entries += batch
            for bell in place.bells:
                bell.ring()
            return place.sequence

    def read(self, after: int = 0) -> Tail:
        """Return everything after a sequence number; see `Journal`."""
        place = self._open()
        with place.lock:
            sequence, kept = place.sequence, tuple(place.entries)
            if after > 0 and place.snapshot <= after <= sequence:
                return Tail(False, sequence, kept[after - place.snapshot :])
            state = tuple(Entry(key, value) for key, value in place.state.items())
            return Tail(True, sequence, state + kept)

    def watch(self, changed: Callable[[], None]) -> None:
        """Call a function soon after any append; see `Journal`."""
        place = self._open()
        bell = Bell(changed, "journal watch")
        with place.lock:
            self._bells.append(bell)
            place.bells.append(bell)

    def snapshot(self) -> int:
        """Replace the entries so far by the state that they result in; see `Journal`."""
        place = self._open()
        with place.lock:
            number = place.sequence
            before = [Entry(key, value) for key, value in place.state.items()]
            place.state = fold([*before, *place.entries])
            place.snapshot, place.entries = number, []
            return number

    def sequence(self) -> int:
        """Return the sequence number of the last entry."""
        place = self._open()
        with place.lock:
            return place.sequence

    def close(self) -> None:
        """Stop calling functions; the place keeps its entries."""
        self._closed = True
        with self._place.lock:
            bells, self._bells = self._bells, []
            self._place.bells = [bell for bell in self._place.bells if bell not in bells]
        for bell in bells:
            bell.close()

    def _open(self) -> MemoryPlace:
        if self._closed:
            raise StoreError("the journal is closed")
        return self._place
