"""A journal in an SQLite file, for one or several replicas on one host.

WAL, `BEGIN IMMEDIATE`, one writer at a time. The library must be 3.51.3 or newer: older ones can
lose a WAL that is reset while another connection checkpoints.
"""

import contextlib
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import apsw
from fes.errors import StoreError

from fes_gateway.store.journal import Entry, fold

OLDEST_LIBRARY = (3, 51, 3)
BUSY_S = 2.0
SNAPSHOT_EVERY = 10_000

_SCHEMA = """
create table if not exists journal (
    sequence integer primary key,
    key      text not null,
    value    blob
) strict;
create table if not exists snapshot (
    key   text primary key,
    value blob not null
) strict;
create table if not exists meta (
    name  text primary key,
    value integer not null
) strict;
insert or ignore into meta values ('format', 1), ('snapshot', 0);
"""


class SqliteJournal:
    """Keeps its entries in an SQLite file; see `Journal`.

    Args:
        path: The file; made if absent, with its folder.
        durable: Whether a commit survives a power loss (`synchronous=FULL`), not only a crash.

    Raises:
        StoreError: The file is no journal, is damaged, or cannot be opened; the message names it.
    """

    def __init__(self, path: Path, *, durable: bool = True) -> None:
        if _library() < OLDEST_LIBRARY:
            raise StoreError(f"SQLite {apsw.sqlite_lib_version()} is too old, 3.51.3 is needed")
        self.path = path
        self._since_snapshot = 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = apsw.Connection(str(path))
            self._db.set_busy_handler(_Patience())
            self._db.execute("pragma journal_mode = wal")
            self._db.execute(f"pragma synchronous = {'full' if durable else 'normal'}")
            self._check_integrity()
            self._db.execute(_SCHEMA)
        except (apsw.Error, OSError) as error:
            raise StoreError(f"{path}: {error}") from error

    def append(self, batch: Sequence[Entry], expected_sequence: int) -> int:
        """Append a batch; see `Journal`."""
        try:
            self._db.execute("begin immediate")
            try:
                found = self._expect(expected_sequence)
                rows = enumerate(batch, found + 1)
                self._db.executemany(
                    "insert into journal values (?, ?, ?)",
                    [(number, entry.key, entry.value) for number, entry in rows],
                )
                self._db.execute("commit")
            except BaseException:
                self._db.execute("rollback")
                raise
        except apsw.Error as error:
            raise StoreError(f"{self.path}: {error}") from error
        self._since_snapshot += len(batch)
        if self._since_snapshot >= SNAPSHOT_EVERY:
            with contextlib.suppress(StoreError):  # the batch is durable; the next one tries again
                self.snapshot()
        return expected_sequence + len(batch)

    def read(self, after: int = 0) -> Iterator[tuple[int, Entry]]:
        """Yield what came after a sequence number; see `Journal`."""
        at = self._meta("snapshot")
        if after < at:
            for key, value in self._db.execute("select key, value from snapshot order by key"):
                yield at, Entry(key, value)
        query = "select sequence, key, value from journal where sequence > ? order by sequence"
        for number, key, value in self._db.execute(query, (after,)):
            yield number, Entry(key, value)

    def snapshot(self) -> int:
        """Replace the entries so far by their sum; see `Journal`."""
        try:
            with self._db:
                number = self.sequence()
                state = fold(entry for _, entry in self.read())
                self._db.execute("delete from snapshot")
                self._db.executemany("insert into snapshot values (?, ?)", list(state.items()))
                self._db.execute("delete from journal where sequence <= ?", (number,))
                self._db.execute("update meta set value = ? where name = 'snapshot'", (number,))
        except apsw.Error as error:
            raise StoreError(f"{self.path}: {error}") from error
        self._since_snapshot = 0
        return number

    def sequence(self) -> int:
        """Return the sequence number of the last entry."""
        newest = self._db.execute("select max(sequence) from journal").get
        return newest if newest is not None else self._meta("snapshot")

    def close(self) -> None:
        """Close the file; harmless twice."""
        self._db.close()

    def _expect(self, sequence: int) -> int:
        found = self.sequence()
        if found != sequence:
            raise StoreError(f"{self.path}: at {found}, expected {sequence}")
        return found

    def _meta(self, name: str) -> int:
        value: int = self._db.execute("select value from meta where name = ?", (name,)).get
        return value

    def _check_integrity(self) -> None:
        verdict = self._db.execute("pragma quick_check(1)").get
        if verdict != "ok":
            raise StoreError(f"{self.path} is damaged: {verdict}")


class _Patience:
    """Waits for another writer with short, uneven pauses, so that nobody starves."""

    def __init__(self) -> None:
        self._until = 0.0

    def __call__(self, attempts: int) -> bool:
        now = time.monotonic()
        if attempts == 0:
            self._until = now + BUSY_S
        if now >= self._until:
            return False
        time.sleep(random.uniform(0.001, 0.01))  # noqa: S311 - a pause, no secret
        return True


def _library() -> tuple[int, ...]:
    return tuple(int(part) for part in apsw.sqlite_lib_version().split("."))
