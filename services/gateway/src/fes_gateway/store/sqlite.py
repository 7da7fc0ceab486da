"""A journal in an SQLite file, for one or several replicas on one host.

WAL, `BEGIN IMMEDIATE`, one writer at a time. The library must be 3.51.3 or newer: older ones can
lose a WAL that is reset while another connection checkpoints.
"""

import contextlib
import random
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import apsw
from fes.errors import BehindError, StoreError

from fes_gateway.store.bell import after_commit
from fes_gateway.store.journal import Entry, Tail, fold
from fes_gateway.store.sqlitewatch import SqliteWatch, wake

OLDEST_LIBRARY = (3, 51, 3)
FORMAT = 1
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
        path: The file; created if absent, with its folder.
        durable: Whether a commit survives a power loss (`synchronous=FULL`), not only a crash.

    Raises:
        StoreError: The file is not a journal, is damaged, or cannot be opened; the message names
            it.
    """

    def __init__(self, path: Path, *, durable: bool = True) -> None:
        if _library() < OLDEST_LIBRARY:
            raise StoreError(f"SQLite {apsw.sqlite_lib_version()} is too old, 3.51.3 is needed")
        self.path = path
        self._since_snapshot = 0
        self._lock = threading.RLock()
        self._watches: list[SqliteWatch] = []
        with self._named():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = apsw.Connection(str(path))
            try:
                self._prepare(durable=durable)
            except BaseException:
                self._db.close()
                raise

    def append(self, batch: Sequence[Entry], expected_sequence: int) -> int:
        """Append a batch; see `Journal`."""
        with self._writing():
            found = self.sequence()
            if found != expected_sequence:
                raise BehindError(f"{self.path}: at {found}, expected {expected_sequence}")
            self._db.executemany(
                "insert into journal values (?, ?, ?)",
                [(number, key, value) for number, (key, value) in enumerate(batch, found + 1)],
            )
        after_commit(self._appended, len(batch))
        return expected_sequence + len(batch)

    def _appended(self, count: int) -> None:
        wake(self.path, but=[watch.name for watch in self._watches])
        self._since_snapshot += count
        if self._since_snapshot >= SNAPSHOT_EVERY:
            self._since_snapshot = SNAPSHOT_EVERY // 2  # where it fails, it is tried again later
            self.snapshot()

    def read(self, after: int = 0) -> Tail:
        """Return everything after a sequence number; see `Journal`."""
        with self._reading():
            return self._read(after)

    def watch(self, changed: Callable[[], None]) -> None:
        """Call a function soon after any append; see `Journal`."""
        with self._named():
            self._meta("format")  # a file that is closed is not watched
            self._watches = [*self._watches, SqliteWatch(self.path, changed)]

    def snapshot(self) -> int:
        """Replace the entries so far by the state that they result in; see `Journal`."""
        with self._writing():
            _, number, entries = self._read(0)
            self._db.execute("delete from snapshot")
            self._db.executemany("insert into snapshot values (?, ?)", list(fold(entries).items()))
            self._db.execute("delete from journal where sequence <= ?", (number,))
            self._db.execute("update meta set value = ? where name = 'snapshot'", (number,))
        self._since_snapshot = 0
        return number

    def sequence(self) -> int:
        """Return the sequence number of the last entry."""
        with self._named():
            newest = self._db.execute("select max(sequence) from journal").get
            return newest if newest is not None else self._meta("snapshot")

    def close(self) -> None:
        """Close the file; idempotent."""
        with self._lock:
            self._db.close()
            watches, self._watches = self._watches, []
        for watch in watches:
            watch.close()

    def _prepare(self, *, durable: bool) -> None:
        patience = _Patience()
        self._db.set_busy_handler(patience)
        for attempt in range(
            1000
        ):  # switching to WAL needs the file exclusively, and does not wait
            try:
                self._db.execute("pragma journal_mode = wal")
                break
            except apsw.BusyError:
                if not patience(attempt):
                    raise
        self._db.execute(f"pragma synchronous = {'full' if durable else 'normal'}")
        verdict = self._db.execute("pragma quick_check(1)").get
        if verdict != "ok":
            raise StoreError(f"{self.path} is damaged: {verdict}")
        with self._writing():
            self._db.execute(_SCHEMA)
        if self._meta("format") != FORMAT:
            raise StoreError(f"{self.path}: its format is {self._meta('format')}, not {FORMAT}")

    def _read(self, after: int) -> Tail:
        start, sequence = self._meta("snapshot"), self.sequence()
        whole = after <= 0 or not start <= after <= sequence
        entries: list[Entry] = []
        if whole:
            kept = self._db.execute("select key, value from snapshot order by key")
            entries += [Entry(key, value) for key, value in kept]
        query = "select key, value from journal where sequence > ? order by sequence"
        found = self._db.execute(query, (0 if whole else after,))
        entries += [Entry(key, value) for key, value in found]
        return Tail(whole, sequence, tuple(entries))

    def _meta(self, name: str) -> int:
        value: int = self._db.execute("select value from meta where name = ?", (name,)).get
        return value

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Read the file as of one moment."""
        with self._named(), self._db:
            yield

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Lock the file for writing; commit at the end, or roll back."""
        with self._named():
            self._db.execute("begin immediate")
            try:
                yield
                self._db.execute("commit")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("rollback")
                raise

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        """Use the connection exclusively; errors name the file."""
        with self._lock:
            try:
                yield
            except (apsw.Error, OSError) as error:
                if isinstance(error, StoreError):
                    raise
                raise StoreError(f"{self.path}: {error}") from error


class _Patience:
    """Waits for another writer with short random pauses, so that no writer starves."""

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
