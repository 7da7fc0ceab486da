"""The records and settings of one log in an SQLite file."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec

from eventservices.cns.domains.logs.attributes import LogAttributes, LogQoS
from eventservices.cns.domains.logs.errors import LogDisabledError
from eventservices.cns.domains.logs.selection import Cursor, Order, Span, bindings, statements

Row = tuple[int, int, bytes, bytes]
"""Identifier, time, event, attributes."""

_SCHEMA: Final = """
create table if not exists record (
    id integer primary key, time integer not null, size integer not null,
    info blob not null, attrs blob not null
) strict;
create index if not exists record_time on record (time);
create table if not exists meta (name text primary key, value blob not null) strict;
"""
DUE_PAGES: Final = 1_000
"""Pages of the write-ahead log at which `settle` copies them into the file."""

MOST_PAGES: Final = 16_000
"""Pages at which a write does so itself, since nobody settles."""

PART_BYTES: Final = 32 * 1024
"""Octets of events and attributes with which a part of a search ends: large ones are decoded in
many parts."""


class LogStore:
    """Keeps the records of a log.

    Args:
        path: The file; made if absent. A path of `:memory:` keeps nothing.

    Raises:
        LogDisabledError: The file is not that of a log, or cannot be opened.

    Attributes:
        path: The file.
        n_records: How many records there are.
        current_size: Octets of all records.
        last_id: Highest identifier that was ever used.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._pages = 0
        self._deferred = False
        with self._named():
            if str(path) != ":memory:":
                path.parent.mkdir(parents=True, exist_ok=True)
            self._db = apsw.Connection(str(path))
            self._db.execute("pragma journal_mode = wal")
            self._db.execute("pragma synchronous = normal")
            self._db.set_wal_hook(self._on_pages)
            with self._db:
                self._db.execute(_SCHEMA)
            [row] = self._db.execute("select count(*), total(size), max(id) from record")
            self.n_records, self.current_size = int(row[0]), int(row[1])
            kept = self._meta("last_id")
            self.last_id = max(int(row[2] or 0), int(kept or 0))
        known = self.attributes()
        self._reliable = known is not None and known.qos is LogQoS.RELIABILITY

    def attributes(self) -> LogAttributes | None:
        """Return the log's settings; None of a new one."""
        with self._named():
            found = self._meta("attributes")
        return None if found is None else msgspec.json.decode(found, type=LogAttributes)

    def set_attributes(self, attributes: LogAttributes) -> None:
        """Keep the log's settings."""
        with self._named(), self._db:
            self._put("attributes", msgspec.json.encode(attributes))
        self._reliable = attributes.qos is LogQoS.RELIABILITY

    @property
    def due(self) -> bool:
        """Whether there is something to settle."""
        return self._pages >= DUE_PAGES or (self._reliable and self._deferred)

    def append(
        self, rows: Sequence[tuple[int, bytes, bytes, int]], *, deferred: bool = False
    ) -> list[int]:
        """Write records, and return their identifiers.

        Args:
            rows: Time, event, attributes, size of each.
            deferred: Whether `settle` is called later, so that this does not wait for the disk.
        """
        first = self.last_id + 1
        with self._named(), self._db:
            self._db.executemany(
                "insert into record (id, time, size, info, attrs) values (?, ?, ?, ?, ?)",
                [
                    (number, time, size, info, attrs)
                    for number, (time, info, attrs, size) in enumerate(rows, first)
                ],
            )
        self.last_id += len(rows)
        self.n_records += len(rows)
        self.current_size += sum(size for *_, size in rows)
        self._deferred = True
        if self._pages >= MOST_PAGES or (self._reliable and not deferred):
            self.settle()
        return list(range(first, first + len(rows)))

    def remove_oldest(self, octets: int, most: int = -1) -> int:
        """Remove the oldest records until so many octets are free; return how many.

        Args:
            octets: More than 0.
            most: Most records; all that it needs where negative.
        """
        ids, freed = [], 0
        with self._named():
            query = "select id, size from record order by id limit ?"
            for number, size in self._db.execute(query, (most,)):
                if freed >= octets:
                    break
                ids.append(number)
                freed += size
        return self.remove(ids)

    def remove_before(self, time: int, most: int) -> int:
        """Remove records logged before a time, at most so many; return how many."""
        with self._named():
            query = "select id from record where time < ? order by time limit ?"
            ids = [number for (number,) in self._db.execute(query, (time, most))]
        return self.remove(ids)

    def remove(self, ids: Sequence[int]) -> int:
        """Remove records by identifier; return how many there were."""
        if not ids:
            return 0
        count = size = 0
        with self._named(), self._db:
            self._put("last_id", str(self.last_id).encode())  # none is used again
            for number in ids:
                query = "delete from record where id = ? returning size"
                for (freed,) in self._db.execute(query, (number,)):
                    count += 1
                    size += int(freed)
        self.n_records -= count
        self.current_size -= size
        return count

    def select(self, order: Order, span: Span, after: Cursor, most: int) -> list[Row]:
        """Return the next records in an order; an index finds them.

        Args:
            order: Of the records.
            span: Of their times where these are the order, else of their identifiers.
            after: Where to begin, in the direction of the order.
            most: Most records; fewer are returned once they have `PART_BYTES`.

        Returns:
            None of them where the span ends.
        """
        rows: list[Row] = []
        octets = 0
        for row in self._found(order, span, after, most, "id, time, info, attrs"):
            rows.append(row)
            octets += len(row[2]) + len(row[3])
            if octets >= PART_BYTES:
                break
        return rows

    def keys(self, order: Order, span: Span, after: Cursor, most: int) -> list[Cursor]:
        """Return times and identifiers of the next records alone; arguments as of `select`."""
        return list(map(Cursor._make, self._found(order, span, after, most, "time, id")))

    def get(self, number: int) -> Row | None:
        """Return a record; None where there is none of that identifier."""
        with self._named():
            query = "select id, time, info, attrs from record where id = ?"
            found: Row | None = self._db.execute(query, (number,)).fetchone()
        return found

    def note(self, number: int, attrs: bytes, size: int) -> None:
        """Replace the attributes of a record."""
        with self._named(), self._db:
            before = self._db.execute("select size from record where id = ?", (number,)).get
            row = (attrs, size, number)
            self._db.execute("update record set attrs = ?, size = ? where id = ?", row)
        self.current_size += size - int(before)

    def settle(self) -> None:
        """Write to the disk what is due; it may be called in another thread."""
        with self._named():
            if self._reliable and self._deferred:
                self._deferred = False
                self._sync()
            if self._pages >= DUE_PAGES:
                with contextlib.closing(apsw.Connection(str(self.path))) as other:
                    other.execute("pragma wal_checkpoint(passive)")

    def flush(self) -> None:
        """Write everything to the disk; it may be called in another thread."""
        with self._named():
            self._sync()

    def close(self) -> None:
        """Close the file; idempotent."""
        self._db.close()

    def _found(
        self, order: Order, span: Span, after: Cursor, most: int, columns: str
    ) -> Iterator[Any]:
        if span.least > span.most:
            return
        values = bindings(order, span, after)
        with self._named():
            for statement in statements(order, columns):
                for row in self._db.execute(statement, {**values, "most": most}):
                    most -= 1
                    yield row
                if not most:
                    return

    def _sync(self) -> None:
        ahead = self.path.with_name(f"{self.path.name}-wal")
        if ahead.exists():
            file = os.open(ahead, os.O_RDONLY)
            try:
                os.fsync(file)
            finally:
                os.close(file)

    def _on_pages(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        self._pages = pages
        return apsw.SQLITE_OK

    def _meta(self, name: str) -> bytes | None:
        found: bytes | None = self._db.execute("select value from meta where name = ?", (name,)).get
        return found

    def _put(self, name: str, value: bytes) -> None:
        self._db.execute("insert or replace into meta values (?, ?)", (name, value))

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except (apsw.Error, OSError) as error:
            raise LogDisabledError(f"{self.path}: {error}") from error
