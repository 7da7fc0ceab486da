"""What a query found, read in parts: nothing is read before it is requested."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Final

from eventservices.cns.domains.logs.errors import InvalidParamError
from eventservices.cns.domains.logs.records import LogRecord, bounds_of, is_covered, unpacked
from eventservices.cns.domains.logs.store import Cursor, LogStore, Row
from eventservices.cns.etcl import Constraint
from eventservices.slices import shared_slice

CHUNK: Final = 128
"""Records read before others have their turn."""

MOST_AT_ONCE: Final = 10_000
"""Most records that one call returns."""

_FIRST: Final[Cursor] = (-1, 0)
_LAST: Final[Cursor] = (2**63 - 1, 2**63 - 1)


class LogIterator:
    """The records that match a constraint, in the order of their identifiers or of their times.

    The order is that of times where the constraint bounds these and not the identifiers; both are
    the order in which records were logged as long as the clock goes on. Long searches leave the
    event loop to others in between. Records that are removed meanwhile are not found any more;
    those that are written meanwhile are.

    Args:
        store: The records.
        constraint: Which are sought.
        check: Raises where the log cannot be read.
        backwards: Whether the newest come first.

    Attributes:
        oldest: Returns the time before which records are not found.
    """

    def __init__(
        self,
        store: LogStore,
        constraint: Constraint,
        check: Callable[[], None],
        *,
        backwards: bool = False,
    ) -> None:
        self.oldest: Callable[[], int] = lambda: 0
        self._store = store
        self._constraint = constraint
        self._check = check
        self._backwards = backwards
        bounds = bounds_of(constraint)
        columns = {column for column, *_ in bounds}
        self._column = "time" if columns == {"time"} else "id"
        self._bounds = [bound for bound in bounds if bound[0] == self._column]
        self._covered = is_covered(constraint) and len(columns) < 2
        self._first = _LAST if backwards else _FIRST
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
        share = shared_slice()
        while True:
            await share.turn()
            rows = self._store.select(
                self._column, self._bounds, self._cursor, CHUNK, backwards=self._backwards
            )
            for record in self._matching(rows):
                self._cursor = (record.time, record.id)
                yield record
            share.end()
            if len(rows) < CHUNK:
                return
            self._cursor = (rows[-1][1], rows[-1][0])

    def _matching(self, rows: list[Row]) -> Iterator[LogRecord]:
        oldest = self.oldest()
        for row in rows:
            record = record_of(row)
            if record.time >= oldest and (
                self._covered or self._constraint.matches(record.content)
            ):
                yield record


async def in_parts(ids: Sequence[int], most: int = CHUNK) -> AsyncIterator[Sequence[int]]:
    """Yield identifiers in parts; others have their turn in between.

    Args:
        ids: All of them.
        most: Most of one part.
    """
    share = shared_slice()
    for begin in range(0, len(ids), most):
        await share.turn()
        yield ids[begin : begin + most]
        share.end()


def record_of(row: Row) -> LogRecord:
    """Return a record as it was written."""
    number, time, info, attrs = row
    noted = unpacked(attrs) if attrs else {}
    return LogRecord(number, time, unpacked(info), noted if isinstance(noted, dict) else {})
