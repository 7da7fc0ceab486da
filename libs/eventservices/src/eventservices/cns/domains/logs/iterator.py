"""What a query found, read in parts: nothing is read before it is requested."""

import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple, TypeVar

from eventservices.cns.domains.logs.bounds import bounds_of
from eventservices.cns.domains.logs.errors import InvalidParamError
from eventservices.cns.domains.logs.records import LogRecord, unpacked
from eventservices.cns.domains.logs.selection import FIRST, LAST, Cursor, Order, Span
from eventservices.cns.domains.logs.store import LogStore, Row
from eventservices.cns.etcl import Constraint
from eventservices.slices import shared_slice

CHUNK: Final = 128
"""Records read before others have their turn."""

MOST_AT_ONCE: Final = 10_000
"""Most records that one call returns."""

_Found = TypeVar("_Found", bound=Cursor | LogRecord)
_Read = Callable[[Cursor, int], tuple[Sequence[_Found], Cursor | None]]


class _Place(NamedTuple):
    """How many records of a result were passed, and where they end."""

    position: int
    cursor: Cursor


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
        self._bounds = bounds_of(constraint)
        self._order = Order(self._bounds.by_time, backwards)
        self._start = _Place(0, LAST if backwards else FIRST)
        self._place = self._start
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
        place = self._place if position >= self._place.position else self._start
        async for part, after in self._parts(place.cursor, position - place.position, self._keys):
            place = _Place(place.position + len(part), after)
        found: list[LogRecord] = []
        if place.position == position:
            async for records, after in self._parts(place.cursor, how_many, self._records):
                found += records
                place = _Place(position + len(found), after)
        self._place = place
        return found

    async def ids(self) -> list[int]:
        """Return the identifiers of all records of the result; errors as of `get`."""
        self._check()
        parts = self._parts(self._start.cursor, sys.maxsize, self._keys)
        return [each.id async for part, _ in parts for each in part]

    async def count(self) -> int:
        """Return how many records the result has; errors as of `get`."""
        self._check()
        parts = self._parts(self._start.cursor, sys.maxsize, self._keys)
        return sum([len(part) async for part, _ in parts])

    def destroy(self) -> None:
        """Return nothing any more; idempotent."""
        self._destroyed = True

    async def _parts(
        self, cursor: Cursor, most: int, read: _Read[_Found]
    ) -> AsyncIterator[tuple[Sequence[_Found], Cursor]]:
        """Yield the next of the result in parts, each with where it ends.

        Others have their turn in between.
        """
        share = shared_slice()
        while most:
            await share.turn()
            part, after = read(cursor, most)
            share.end()
            if after is None:
                return
            yield part, after
            cursor, most = after, most - len(part)

    def _records(self, cursor: Cursor, most: int) -> tuple[Sequence[LogRecord], Cursor | None]:
        """Return the next records, at most so many, and where they end; None where the log does."""
        size = min(CHUNK, most) if self._bounds.whole else CHUNK
        rows = self._store.select(self._order, self._span, cursor, size)
        found = list(islice(self._matching(rows), most))
        if len(found) == most:
            return found, Cursor(found[-1].time, found[-1].id)
        return found, Cursor(rows[-1][1], rows[-1][0]) if rows else None

    def _keys(
        self, cursor: Cursor, most: int
    ) -> tuple[Sequence[Cursor | LogRecord], Cursor | None]:
        """Return what `_records` does, or times and identifiers alone where no event is tested."""
        if not self._bounds.whole:
            return self._records(cursor, most)
        keys = self._store.keys(self._order, self._span, cursor, min(CHUNK, most))
        times = self._times
        found = [key for key in keys if times.least <= key.time <= times.most]
        return found, keys[-1] if keys else None

    def _matching(self, rows: Sequence[Row]) -> Iterator[LogRecord]:
        least, most = self._times
        whole, matches = self._bounds.whole, self._constraint.matches
        for row in rows:
            if least <= row[1] <= most:
                record = record_of(row)
                if whole or matches(record.content):
                    yield record

    @property
    def _times(self) -> Span:
        """Times within which records are found now."""
        least, most = self._bounds.times
        return Span(max(least, self.oldest()), most)

    @property
    def _span(self) -> Span:
        """What the index is searched for."""
        return self._times if self._order.by_time else self._bounds.ids


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
