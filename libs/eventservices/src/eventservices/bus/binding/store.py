"""Where a bus stores what outlives it: in memory, or in a file of SQLite."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import apsw


class BusStore(Protocol):
    """Stores rows; called from one thread at a time, maybe not always the same."""

    def read(self) -> dict[str, bytes]:
        """Return all rows."""

    def write(self, rows: Mapping[str, bytes | None]) -> None:
        """Store rows, all or none; None deletes. They are on the disk when it returns."""

    def close(self) -> None:
        """Close."""


class MemoryStore:
    """Stores rows as long as the process lives; for tests."""

    def __init__(self) -> None:
        self.rows: dict[str, bytes] = {}

    def read(self) -> dict[str, bytes]:
        """Return all rows."""
        return dict(self.rows)

    def write(self, rows: Mapping[str, bytes | None]) -> None:
        """Store rows; None deletes."""
        for key, value in rows.items():
            if value is None:
                self.rows.pop(key, None)
            else:
                self.rows[key] = value

    def close(self) -> None:
        """Do nothing."""


class SqliteStore:
    """Stores rows in a file.

    Args:
        path: Of the file; made if absent. One bus at a time may have it.

    Raises:
        OSError: The file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = apsw.Connection(str(path))
            for setting in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = FULL"):
                self._connection.execute(f"PRAGMA {setting}")
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS rows (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID"
            )
        except apsw.Error as error:
            raise OSError(f"{path}: {error}") from error

    def read(self) -> dict[str, bytes]:
        """Return all rows."""
        return dict(self._connection.execute("SELECT key, value FROM rows"))

    def write(self, rows: Mapping[str, bytes | None]) -> None:
        """Store rows in one transaction; None deletes.

        Raises:
            OSError: The disk did not accept them.
        """
        puts = [(key, value) for key, value in rows.items() if value is not None]
        drops = [(key,) for key, value in rows.items() if value is None]
        try:
            with self._connection:
                self._connection.executemany("INSERT OR REPLACE INTO rows VALUES (?, ?)", puts)
                self._connection.executemany("DELETE FROM rows WHERE key = ?", drops)
        except apsw.Error as error:
            raise OSError(f"rows were not stored: {error}") from error

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
