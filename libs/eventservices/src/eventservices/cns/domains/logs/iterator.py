"""What a query found, read in parts: nothing is read before it is requested."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Final

from eventservices.cns.domains.logs.errors import InvalidParamError
from eventservices.cns.domains.logs.records import LogRecord, bounds_of, is_covered, unpacked
from eventservices.cns.domains.logs.store import Bound, LogStore, Row
from eventservices.cns.etcl import Constraint
from eventservices.slices import shared_slice

CHUNK: Final = 128
"""Records read before others have their turn."""

MOST_AT_ONCE: Final = 10_000
"""Most records that one call returns."""

_FIRST, _LAST = 0, 2**62


class LogIterator:
    """The records that match a constraint, in the order in which they were logged.

    Long searches leave the event loop to others in between. Records that are removed meanwhile
    are not found any more; those that are written meanwhile are.

    Args:
        store: The records.
        constraint: Which are sought.
        check: Raises where the log cannot be read.
        begin: Identifier after which to begin, or before which.
        backwards: Whether the newest come first.
    """

    def __init__(
        self,
        store: LogStore,
        constraint: Constraint,
        check: Callable[[], None],
        begin: int | None = None,
        *,
        backwards: bool = False,
    ) -> None:
        self._store = store
        self._constraint = constraint
        self._check = check
        self._backwards = backwards
        self._first = (_LAST if backwards else _FIRST) if begin is None else begin
        self._covered = is_covered(constraint)
        self._cursor = self._first
        self._position = 0
        self._destroyed = False

    async def get(self, position: int, how_many: int) -> list[LogRecord]:
        """Return records of the result.

        Args:
            position: Of the first, from 0.
            how_many: Most records; at most `MOST_AT_ONCE`.

        Returns:
            Fewer than `how_many` where the result ends; none where it ended before.

        Raises:
            InvalidParamError: An argument is out of range, or the iterator was destroyed.
            LogDisabledError: The log cannot be read.
        """
        if self._destroyed or position < 0 or not 1 <= how_many <= MOST_AT_ONCE:
            raise InvalidParamError(f"cannot get {how_many} records from {position}")
        self._check()
        if position < self._position:
            self._cursor, self._position = self._first, 0
        found: list[LogRecord] = []
        async for record in self._walk():
            self._position += 1
            if self._position > position:
                found.append(record)
            if len(found) == how_many:
                break
        return found

    async def ids(self) -> list[int]:
        """Return the identifiers of all records of the result; errors as of `get`."""
        self._check()
        self._cursor, self._position = self._first, 0
        return [record.id async for record in self._walk()]

    async def count(self) -> int:
        """Return how many records the result has; errors as of `get`."""
        return len(await self.ids())

    def destroy(self) -> None:
        """Return nothing any more; idempotent."""
        self._destroyed = True

    async def _walk(self) -> AsyncIterator[LogRecord]:
        bounds = self._bounds()
        if bounds is None:
            return
        share = shared_slice()
        while True:
            await share.turn()
            rows = self._store.select(bounds, self._cursor, CHUNK, backwards=self._backwards)
            for record in self._matching(rows):
                self._cursor = record.id
                yield record
            share.end()
            if len(rows) < CHUNK:
                return
            self._cursor = rows[-1][0]

    def _bounds(self) -> list[Bound] | None:
        """Return what all records sought have; None where there can be none."""
        bounds = bounds_of(self._constraint)
        if not any(column == "time" for column, *_ in bounds):
            return bounds
        span = self._store.span(bounds)
        if span is None:
            return None
        return [*bounds, ("id", ">=", span[0]), ("id", "<=", span[1])]

    def _matching(self, rows: list[Row]) -> Iterator[LogRecord]:
        for row in rows:
            record = record_of(row)
            if self._covered or self._constraint.matches(record.content):
                yield record


def record_of(row: Row) -> LogRecord:
    """Return a record as it was written."""
    number, time, info, attrs = row
    noted = unpacked(attrs) if attrs else {}
    return LogRecord(number, time, unpacked(info), noted if isinstance(noted, dict) else {})
