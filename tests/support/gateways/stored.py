"""The journals of a world's gateways in SQLite files."""

from collections.abc import MutableMapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Self

from fes.gateway.outputs import Mutation, PutRow
from fes_gateway.store import Entry, SqliteJournal, fold
from support.simulation.journals import Journals


class StoredJournals(Journals):
    """Keeps each gateway's journal in a file; what is read back was written before.

    Args:
        folder: Where the files go.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._open = ExitStack()
        self._journals: dict[str, SqliteJournal] = {}

    def __enter__(self) -> Self:
        """Open files as they are asked for."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close them all."""
        self._open.close()

    def state(self, gateway: str) -> MutableMapping[str, bytes]:
        """What a gateway's journal adds up to."""
        return fold(self._journal(gateway).read().entries)

    def append(self, gateway: str, mutations: list[Mutation]) -> None:
        """Commit what a gateway changed."""
        if mutations:
            journal = self._journal(gateway)
            batch = [
                Entry(each.key, each.value if isinstance(each, PutRow) else None)
                for each in mutations
            ]
            journal.append(batch, journal.sequence())

    def _journal(self, gateway: str) -> SqliteJournal:
        if gateway not in self._journals:
            path = self._folder / f"{gateway}.sqlite"
            journal = SqliteJournal(path, durable=False)
            self._journals[gateway] = self._open.enter_context(closing(journal))
        return self._journals[gateway]
