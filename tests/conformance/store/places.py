"""Where journals are kept, for one suite over all of them."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path

from fes.errors import BehindError
from fes_gateway.store import (
    Entry,
    JetStreamJournal,
    Journal,
    MemoryJournal,
    MemoryPlace,
    SqliteJournal,
    StreamSettings,
)


class Place(ABC):
    """Where one journal is kept.

    Attributes:
        text: What another process opens it by; empty in memory.
    """

    text = ""

    def __init__(self) -> None:
        self._opened: list[Journal] = []

    def open(self) -> Journal:
        """Return a journal of this place, as a replica does."""
        journal = self._open()
        self._opened.append(journal)
        return journal

    def close(self) -> None:
        """Close all that were opened."""
        for journal in self._opened:
            journal.close()

    @abstractmethod
    def _open(self) -> Journal: ...


class InMemory(Place):
    """In this process."""

    def __init__(self) -> None:
        super().__init__()
        self._place = MemoryPlace()

    def _open(self) -> Journal:
        return MemoryJournal(self._place)


class InFile(Place):
    """In an SQLite file."""

    def __init__(self, path: Path, *, durable: bool = False) -> None:
        super().__init__()
        self._path = path
        self._durable = durable
        self.text = f"sqlite {path}"

    def _open(self) -> Journal:
        return SqliteJournal(self._path, durable=self._durable)


class InStream(Place):
    """In a stream of a server."""

    def __init__(self, url: str, name: str) -> None:
        super().__init__()
        self._settings = StreamSettings((url,), name)
        self.text = f"jetstream {url} {name}"

    def _open(self) -> Journal:
        return JetStreamJournal(self._settings)


def place_of(text: str) -> Place:
    """Return the place that another process told."""
    kind, *words = text.split(" ")
    return InFile(Path(words[0])) if kind == "sqlite" else InStream(*words)


def append_anyhow(journal: Journal, batch: Sequence[Entry], position: int) -> int:
    """Append as soon as nobody else was first; return where that was."""
    while True:
        try:
            return journal.append(batch, position)
        except BehindError:
            position = journal.read(position).sequence
