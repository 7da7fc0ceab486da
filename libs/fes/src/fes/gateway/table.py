"""The request table: which requests hold, for which event services.

A row is one pattern of one request. A row that is newer takes the place of every row of its key
whose pattern it covers, and is itself nothing new where a newer row covers it; so what holds
does not depend on the order in which requests arrive.

Source:
    design, section 4.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import Meta

from fes.control import RequestType
from fes.control.event import WITHDRAWING
from fes.control.signal import Name, Whole
from fes.distribution import covers_pattern, matches
from fes.errors import EventError
from fes.gateway.buckets import Buckets
from fes.gateway.digest import bucket_of, digest_of
from fes.gateway.keys import key_of
from fes.gateway.weights import weight_of_text
from fes.model import Stamp, check_stamp

_WITHDRAWING = {standing: withdrawing for withdrawing, standing in WITHDRAWING.items()}

FOREVER = 1 << 62
"""The end of what has none, on the own clock."""

MARGIN = 4
"""A withdrawal outlives the horizon by this part of it: who was gone for a little less has time to
learn of it."""

Text = Annotated[str, Meta(max_length=1 << 20)]
"""A filter, or what a request is about, as far as the journal is burdened with it."""

Rank = tuple[int, bool, str]
"""Orders the requests of a key; the version decides, and what follows breaks ties."""


class Key(NamedTuple):
    """What makes two requests the same, but for their patterns.

    Attributes:
        kind: SUBSCRIPTION or ANNOUNCEMENT.
        source: Event service that the request comes from.
        requester: The client.
        what: Canonical filter, or the announced subject.
    """

    kind: RequestType
    source: str
    requester: str
    what: str


class Row(msgspec.Struct, frozen=True, array_like=True):
    """One pattern of a standing request, or of its withdrawal.

    Attributes:
        kind, source, requester, what: The key.
        pattern: Of event service identifiers.
        withdrawn: Whether the newest request withdraws it.
        version: Newer requests have larger ones.
        since_us: When it was accepted here, own clock; 0 where it is only as good as a neighbour
            that was away, or new.
        expires_us: When its lease ends, wall clock; 0 is never.
        filter: As the client wrote it.
        body: The announced event as MessagePack; empty for subscriptions.
        request: The request's stamp.
        until_us: When its lease ends here, or the withdrawal is forgotten, own clock; 0 is never.
            Told to another gateway: how long until then.
        outlives_us: When the last version ends that it superseded, own clock, if that is later;
            0 where none does, `FOREVER` where one had no end. Told: how long until then.
    """

    kind: RequestType
    source: Name
    requester: Name
    what: Text
    pattern: Name
    withdrawn: bool
    version: Whole
    since_us: Whole
    expires_us: Whole
    filter: Text
    body: bytes
    request: Stamp
    until_us: Whole = 0
    outlives_us: Whole = 0

    @property
    def key(self) -> Key:
        """The row's key."""
        return Key(self.kind, self.source, self.requester, self.what)

    @property
    def name(self) -> str:
        """The row's name in the journal."""
        return key_of(str(int(self.kind)), self.source, self.requester, self.what, self.pattern)

    @property
    def type(self) -> RequestType:
        """The request that the row tells of, a withdrawing one where it was withdrawn."""
        return _WITHDRAWING[self.kind] if self.withdrawn else self.kind

    @property
    def rank(self) -> Rank:
        """Where the row stands among those of its key: the newest is the largest, everywhere."""
        return self.version, self.withdrawn, str(self.request.identity)

    @property
    def digest(self) -> int:
        """Stands for the row, the same at every gateway that has it."""
        return digest_of(self.name, *self.rank, self.expires_us)

    @property
    def last_us(self) -> int:
        """When the last end comes of it and of what it superseded, own clock."""
        return max(self.until_us or FOREVER, self.outlives_us)

    def told(self, own_us: int) -> "Row":
        """Return the row as another gateway is told it: with what is left in place of moments."""
        return msgspec.structs.replace(
            self,
            since_us=0,
            until_us=self.until_us and max(1, self.until_us - own_us),
            outlives_us=max(0, _shifted(self.outlives_us, -own_us)),
        )

    def heard(self, own_us: int, horizon_us: int, since_us: int) -> "Row":
        """Return a row that another gateway told as it is kept here.

        Args:
            own_us: The own time.
            horizon_us: How long a withdrawal is kept at most that ended nothing that lasts longer.
            since_us: See `Row`.
        """
        left_us = self.until_us
        outlives_us = min(max(0, _shifted(self.outlives_us, own_us)), FOREVER)
        if self.withdrawn:
            finite_us = 0 if outlives_us == FOREVER else outlives_us - own_us
            left_us = max(1, min(left_us or horizon_us, max(horizon_us, finite_us)))
        return msgspec.structs.replace(
            self,
            since_us=since_us,
            until_us=left_us and min(FOREVER - 1, own_us + max(0, left_us)),
            outlives_us=outlives_us,
        )


_row_decoder = msgspec.msgpack.Decoder(Row)
_INT64 = 2**63


def read_row_of_table(value: bytes) -> Row:
    """Return the row that the journal kept.

    Raises:
        msgspec.DecodeError: It is none.
        EventError: Its stamp, or a number in it, is out of range.
    """
    row = _row_decoder.decode(value)
    check_stamp(row.request)
    for number in (row.version, row.since_us, row.expires_us, row.until_us, row.outlives_us):
        if not -_INT64 <= number < _INT64:
            raise EventError(f"{number} is out of range")
    return row


REQUEST_BYTES: Final = 1500
"""What a row takes beside its texts and its body."""


def weight_of_request(row: Row) -> int:
    """Return the bytes of memory that a row accounts for."""
    texts = (row.source, row.requester, row.what, row.pattern, row.filter, row.request.origin)
    # Its key and its name in the journal have the same texts again.
    return REQUEST_BYTES + len(row.body) + 2 * sum(map(weight_of_text, texts))


class Changes(NamedTuple):
    """What a request changed in the table."""

    new: tuple[Row, ...]
    gone: tuple[Row, ...]


class RequestTable:
    """Keeps the newest request of every key and pattern.

    Args:
        horizon_us: How long a withdrawal is remembered.

    Attributes:
        accepted_us: When a row was accepted last, own clock.
        bytes: Weight of all rows.
    """

    def __init__(self, horizon_us: int) -> None:
        self.accepted_us = 0
        self.kept_us = kept_us(horizon_us)
        self._rows: dict[Key, dict[str, Row]] = {}
        self._buckets: Buckets[Row] = Buckets()
        self.bytes = 0
        self._bytes_of: Counter[str] = Counter()

    def __len__(self) -> int:
        """Return the number of rows."""
        return sum(len(rows) for rows in self._rows.values())

    @property
    def digest(self) -> int:
        """Stands for all rows: equal where the tables are."""
        return self._buckets.digest

    def digests(self, count: int) -> tuple[int, ...]:
        """Return the digests of the buckets that the rows fall into, so many of them."""
        return self._buckets.digests(count)

    def within(self, buckets: Iterable[int], count: int) -> Iterator[Row]:
        """Yield the rows that fall into some of so many buckets."""
        return self._buckets.within(buckets, count)

    def rows(self) -> Iterator[Row]:
        """Yield every row, in the order in which keys and patterns came."""
        for rows in self._rows.values():
            yield from rows.values()

    def newest(self, key: Key) -> Row | None:
        """Return the newest row of a key; None where there is none."""
        return max(self._rows.get(key, {}).values(), key=lambda row: row.rank, default=None)

    def bytes_of(self, source: str) -> int:
        """Return the weight of the rows that come from an event service."""
        return self._bytes_of[source]

    def growth_bytes(self, rows: Iterable[Row]) -> int:
        """Return how many bytes more the table may account for once some rows are taken in."""
        return sum(
            weight_of_request(row)
            - sum(
                weight_of_request(other)
                for pattern, other in self._rows.get(row.key, {}).items()
                if covers_pattern(row.pattern, pattern)
            )
            for row in rows
        )

    def growth(self, rows: Iterable[Row]) -> int:
        """Return how many rows more there are once some are taken in; renewals cost nothing."""
        new: dict[tuple[Key, str], None] = {}
        gone: dict[tuple[Key, str], None] = {}
        for row in rows:
            if self._is_known(row):
                continue
            known = self._rows.get(row.key, {})
            if row.pattern not in known:
                new[row.key, row.pattern] = None
            gone.update(
                ((row.key, pattern), None)
                for pattern, other in known.items()
                if pattern != row.pattern and self._takes_place(row, other)
            )
        return len(new) - len(gone)

    def take(self, rows: Iterable[Row], own_us: int) -> Changes:
        """Take in rows that are newer than what is known.

        Args:
            rows: Of one request, or of a neighbour's table.
            own_us: The own time; 0 takes what has ended, too.

        Returns:
            The rows that are new here, and those whose place they took.
        """
        new: list[Row] = []
        gone: list[Row] = []
        batch = tuple(rows)
        for row in batch:
            if self._is_known(row) or self._is_stale(row, batch, own_us):
                continue
            kept, others = self._replace(row)
            gone.extend(others)
            new.append(kept)
            self.accepted_us = max(self.accepted_us, kept.since_us)
        return Changes(tuple(new), tuple(gone))

    def wanted(self, service: str) -> list[Row]:
        """Return the standing requests that hold at an event service, oldest first.

        What holds is decided by the newest row of each key whose pattern matches; an event
        service is never the destination of its own clients' requests.
        """
        found = []
        for key, rows in self._rows.items():
            if key.source == service:
                continue
            best = max(
                (row for row in rows.values() if matches(row.pattern, service)),
                key=lambda row: row.rank,
                default=None,
            )
            if best is not None and not best.withdrawn:
                found.append(best)
        return sorted(found, key=lambda row: (row.rank, row.name))

    def expire(self, own_us: int, spare: int = 0) -> Changes:
        """End the leases that ran out, and forget the withdrawals past their time.

        A withdrawal that carves a hole in a live wildcard stays as long as the wildcard. A lease
        that ended leaves a withdrawal as long as a version may live that it superseded.

        Args:
            own_us: The own time.
            spare: How many withdrawals past their time are kept nevertheless, the youngest.

        Returns:
            The withdrawals that are left, and the rows that are gone.
        """
        ended = [row for row in self.rows() if 0 < row.until_us <= own_us]
        left = [self._left(row, own_us) for row in ended if not row.withdrawn]
        past = [
            row
            for row in ended
            if row.withdrawn and not self._carves(row, self._rows[row.key].values())
        ]
        past.sort(key=lambda row: -row.until_us)
        gone = [row for row in ended if not row.withdrawn] + past[spare:]
        for row in gone:
            self._remove(row)
        tombstones = [row for row in left if row is not None]
        for row in tombstones:
            self._put(row)
        return Changes(tuple(tombstones), tuple(gone))

    def drop(
        self, names: Container[str], within: Container[int], of: int, before: int
    ) -> list[Row]:
        """Remove the rows that another table does not have; return them.

        Args:
            names: Of that table's rows.
            within: Buckets that are compared.
            of: How many buckets there are.
            before: Rows that were accepted after it stay, own clock.
        """
        gone = [
            row
            for row in self.rows()
            if row.since_us <= before
            and row.name not in names
            and bucket_of(row.digest, of) in within
        ]
        for row in gone:
            self._remove(row)
        return gone

    def prolong(self, own_us: int) -> list[Row]:
        """Remember every withdrawal for as long as a new one; return those that were changed."""
        until_us = own_us + self.kept_us
        short = [row for row in self.rows() if row.withdrawn and row.until_us < until_us]
        longer = [msgspec.structs.replace(row, until_us=until_us) for row in short]
        for row in longer:
            self._rows[row.key][row.pattern] = row
            self._buckets.add_again(row)
        return longer

    def follow(self, rows: Iterable[Row]) -> list[Row]:
        """Have rows as another has them, newer or not; return those that were not here."""
        new = []
        for row in rows:
            known = self._rows.get(row.key, {}).get(row.pattern)
            if known == row:
                continue
            if known is not None:
                self._remove(known)
            self._put(row)
            new.append(row)
        return new

    def discard(self, gone: Callable[[str], bool]) -> bool:
        """Remove rows by their names; tell whether there were any."""
        found = [row for row in self.rows() if gone(row.name)]
        for row in found:
            self._remove(row)
        return bool(found)

    def _is_known(self, row: Row) -> bool:
        """Tell whether a row is nothing new.

        Patterns of one and the same request stay beside one another, though one may cover another:
        otherwise what is kept of it would depend on their order.
        """
        rows = self._rows.get(row.key, {})
        same = rows.get(row.pattern)
        return (same is not None and same.rank >= row.rank) or any(
            other.rank > row.rank and covers_pattern(pattern, row.pattern)
            for pattern, other in rows.items()
        )

    def _is_stale(self, row: Row, batch: tuple[Row, ...], own_us: int) -> bool:
        if not row.until_us or row.until_us > own_us:
            return False
        if not row.withdrawn:
            return bool(own_us)
        others = (*self._rows.get(row.key, {}).values(), *batch)
        return bool(own_us) and not self._carves(row, others)

    @staticmethod
    def _carves(row: Row, others: Iterable[Row]) -> bool:
        return any(
            other.key == row.key
            and not other.withdrawn
            and covers_pattern(other.pattern, row.pattern)
            for other in others
        )

    @staticmethod
    def _takes_place(row: Row, other: Row) -> bool:
        """Tell whether a row takes the place of another of its key."""
        return other.rank < row.rank and covers_pattern(row.pattern, other.pattern)

    def _replace(self, row: Row) -> tuple[Row, list[Row]]:
        """Put a row in the place of those it covers; return it as it is kept, and the others."""
        known = self._rows.get(row.key, {}).values()
        gone = [other for other in known if self._takes_place(row, other)]
        for other in gone:
            self._remove(other)
        kept = self._put(_outliving(row, max((other.last_us for other in gone), default=0)))
        return kept, [other for other in gone if other.pattern != row.pattern]

    def _left(self, row: Row, own_us: int) -> Row | None:
        """Return what is left of a lease that ended; None where nothing older may live."""
        if row.outlives_us <= own_us:
            return None
        until_us = own_us + self.kept_us if row.outlives_us >= FOREVER else row.outlives_us
        return msgspec.structs.replace(row, withdrawn=True, since_us=own_us, until_us=until_us)

    def _put(self, row: Row) -> Row:
        self._rows.setdefault(row.key, {})[row.pattern] = row
        self._count_in(row)
        return row

    def _remove(self, row: Row) -> None:
        self._count_out(row)
        rows = self._rows[row.key]
        del rows[row.pattern]
        if not rows:
            del self._rows[row.key]

    def _count_in(self, row: Row) -> None:
        self._buckets.add(row)
        self._weigh(row, weight_of_request(row))

    def _count_out(self, row: Row) -> None:
        self._buckets.remove(row)
        self._weigh(row, -weight_of_request(row))

    def _weigh(self, row: Row, change: int) -> None:
        self.bytes += change
        self._bytes_of[row.source] += change
        if not self._bytes_of[row.source]:
            del self._bytes_of[row.source]


def kept_us(horizon_us: int) -> int:
    """Return how long a withdrawal is remembered, microseconds."""
    return horizon_us + horizon_us // MARGIN


def _outliving(row: Row, last_us: int) -> Row:
    """Return a row that took the place of others whose last end is known."""
    if not row.until_us:
        return row
    if row.withdrawn and row.until_us < last_us < FOREVER:
        return msgspec.structs.replace(row, until_us=last_us)
    last_us = max(last_us, row.outlives_us)
    outlives_us = last_us if last_us > row.until_us else 0
    return msgspec.structs.replace(row, outlives_us=outlives_us)


def _shifted(moment_us: int, by_us: int) -> int:
    """Return a moment moved, unless it is never, or has no end."""
    return moment_us if moment_us in (0, FOREVER) else moment_us + by_us
