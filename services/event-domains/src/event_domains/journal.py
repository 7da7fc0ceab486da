"""A journal of domains in an SQLite file: one row for each domain, channel and connection."""

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

import apsw
import msgspec
from eventservices.cns.domains.records import (
    AnyConnection,
    Connection,
    DomainRecord,
    MemberRecord,
    TypedConnection,
)
from eventservices.cns.domains.state import (
    Change,
    ConnectionChange,
    DomainChange,
    MemberChange,
)

from event_domains.errors import JournalError

T = TypeVar("T")

FORMAT: Final = 1

MOST_WAITING: Final = 1_000
"""Most writes that wait for the disk."""

_SCHEMA: Final = """
create table if not exists domain (id integer primary key, body blob not null) strict;
create table if not exists member (
    domain integer not null, id integer not null, body blob not null, primary key (domain, id)
) strict, without rowid;
create table if not exists connection (
    domain integer not null, id integer not null, body blob not null, primary key (domain, id)
) strict, without rowid;
create table if not exists meta (name text primary key, value integer not null) strict;
insert or ignore into meta values ('format', 1), ('next_domain', 0);
"""


class SqliteJournal:
    """Keeps what domains have in a file; see `Journal`.

    One thread writes, so that a slow disk delays who waits for a write and nobody else. Each write
    is one transaction, on the disk (`fsync`) when it returns.

    Args:
        path: The file; made if absent, with its folder.

    Raises:
        JournalError: It is not a journal, is damaged, or cannot be opened.

    Attributes:
        path: The file.
        waiting: Writes that run or wait.
        refused: Writes that were refused because `MOST_WAITING` waited.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.waiting = 0
        self.refused = 0
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="event-domains-journal")
        with self._named():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = apsw.Connection(str(path))
            self._db.execute("pragma locking_mode = exclusive")
            self._db.execute("pragma journal_mode = wal")
            self._db.execute("pragma synchronous = full")
            verdict = self._db.execute("pragma quick_check(1)").get
            if verdict != "ok":
                raise JournalError(f"{path} is damaged: {verdict}")
            with self._db:
                self._db.execute(_SCHEMA)
            if self._meta("format") != FORMAT:
                raise JournalError(f"{path}: its format is not {FORMAT}")

    async def write(self, domain: int, changes: Sequence[Change]) -> None:
        """Keep changes of a domain, all of them or none.

        Raises:
            JournalError: They cannot be kept, or too many writes wait; none is.
        """
        if self.waiting >= MOST_WAITING:
            self.refused += 1
            raise JournalError(f"{self.path}: {MOST_WAITING} writes wait for the disk")
        self.waiting += 1
        try:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self._writer, self._write_all, domain, changes)
        finally:
            self.waiting -= 1

    def read(self) -> Iterator[tuple[int, Change]]:
        """Return what rebuilds the domains: first each domain, then its channels and connections.

        Raises:
            JournalError: The file cannot be read, or a row is none of ours.
        """
        with self._named():
            for number, body in self._db.execute("select id, body from domain order by id"):
                yield number, DomainChange(_decoded(body, DomainRecord, self.path))
            rows = "select domain, id, body from {} order by domain, id"
            for domain, number, body in self._db.execute(rows.format("member")):
                yield domain, MemberChange(number, _decoded(body, MemberRecord, self.path))
            for domain, number, body in self._db.execute(rows.format("connection")):
                yield domain, ConnectionChange(number, _connection(body, self.path))

    def next_domain(self) -> int:
        """Return the lowest identifier that no domain has had."""
        with self._named():
            return self._meta("next_domain")

    def close(self) -> None:
        """Close the file once all writes have ended; idempotent."""
        self._writer.shutdown()
        self._db.close()

    def _write_all(self, domain: int, changes: Sequence[Change]) -> None:
        with self._named(), self._db:
            for change in changes:
                self._write(domain, change)

    def _write(self, domain: int, change: Change) -> None:
        run = self._db.execute
        match change:
            case DomainChange(None):
                for delete in (
                    "delete from domain where id = ?",
                    "delete from member where domain = ?",
                    "delete from connection where domain = ?",
                ):
                    run(delete, (domain,))
            case DomainChange(record):
                run("insert or replace into domain values (?, ?)", (domain, _encoded(record)))
                run(
                    "update meta set value = max(value, ?) where name = 'next_domain'",
                    (domain + 1,),
                )
            case MemberChange(number, None):
                run("delete from member where domain = ? and id = ?", (domain, number))
            case MemberChange(number, member):
                row = (domain, number, _encoded(member))
                run("insert or replace into member values (?, ?, ?)", row)
            case ConnectionChange(number, None):
                run("delete from connection where domain = ? and id = ?", (domain, number))
            case ConnectionChange(number, connection):
                row = (domain, number, _encoded(connection))
                run("insert or replace into connection values (?, ?, ?)", row)

    def _meta(self, name: str) -> int:
        value: int = self._db.execute("select value from meta where name = ?", (name,)).get
        return value

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except apsw.Error as error:
            raise JournalError(f"{self.path}: {error}") from error


def _encoded(record: object) -> bytes:
    return msgspec.json.encode(record)


def _decoded(body: bytes, kind: type[T], path: Path) -> T:
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.MsgspecError as error:
        raise JournalError(f"{path}: a row cannot be read: {error}") from error


def _connection(body: bytes, path: Path) -> AnyConnection:
    """Return a connection; a typed one has the name of an interface."""
    if b'"key":' in body:
        return _decoded(body, TypedConnection, path)
    return _decoded(body, Connection, path)
