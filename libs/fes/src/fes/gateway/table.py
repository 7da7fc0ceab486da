"""The request table: which requests hold, for which event services.

A row is one pattern of one request. A row that is newer takes the place of every row of its key
whose pattern it covers, and is itself nothing new where a newer row covers it; so what holds
does not depend on the order in which requests arrive.

Source:
    design, section 4.
"""

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

from fes.control import RequestType
from fes.control.event import WITHDRAWING
from fes.distribution import covers_pattern, matches
from fes.errors import EventError
from fes.gateway.digest import Digest, digest_of
from fes.gateway.keys import key_of
from fes.gateway.weights import weight_of_text
from fes.model import Stamp, check_stamp

_WITHDRAWING = {standing: withdrawing for withdrawing, standing in WITHDRAWING.items()}

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
        made_us: When the request was made, wall clock.
        expires_us: When its lease ends, wall clock; 0 is never.
        filter: As the client wrote it.
        body: The announced event as MessagePack; empty for subscriptions.
        request: The request's stamp.
    """

    kind: RequestType
    source: str
    requester: str
    what: str
    pattern: str
    withdrawn: bool
    version: int
    made_us: int
    expires_us: int
    filter: str
    body: bytes
    request: Stamp

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
    for number in (row.version, row.made_us, row.expires_us):
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
        bytes: Weight of all rows.
    """

    def __init__(self, horizon_us: int) -> None:
        self._horizon_us = horizon_us
        self._rows: dict[Key, dict[str, Row]] = {}
        self._digest = Digest()
        self.bytes = 0
        self._bytes_of: Counter[str] = Counter()

    def __len__(self) -> int:
        """Return the number of rows."""
        return sum(len(rows) for rows in self._rows.values())

    @property
    def digest(self) -> int:
        """Stands for all rows: equal where the tables are."""
        return self._digest.value

    def rows(self) -> Iterator[Row]:
        """Yield every row, in the order in which keys and patterns came."""
        for rows in self._rows.values():
            yield from rows.values()

    def newest_version(self, key: Key) -> int:
        """Return the largest version known of a key; 0 where there is none."""
        return max((row.version for row in self._rows.get(key, {}).values()), default=0)

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

    def take(self, rows: Iterable[Row], now_us: int) -> Changes:
        """Take in rows that are newer than what is known.

        Args:
            rows: Of one request, or of a neighbour's table.
            now_us: Wall clock, microseconds.

        Returns:
            The rows that are new here, and those whose place they took.
        """
        new: list[Row] = []
        gone: list[Row] = []
        batch = tuple(rows)
        for row in batch:
            if self._is_known(row) or self._is_stale(row, batch, now_us):
                continue
            gone.extend(self._replace(row))
            new.append(row)
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

    def expire(self, now_us: int) -> list[Row]:
        """Remove the rows whose lease ended and the withdrawals past the horizon; return them.

        A withdrawal that carves a hole in a live wildcard stays as long as the wildcard.
        """
        gone = [
            row
            for row in self.rows()
            if (row.expires_us and row.expires_us <= now_us)
            or (
                row.withdrawn
                and now_us - row.made_us >= self._horizon_us
                and not self._carves(row, self._rows[row.key].values())
            )
        ]
        for row in gone:
            self._remove(row)
        return gone

    def drop(self, names: Container[str], before: int) -> list[Row]:
        """Remove the rows that another table does not have; return them.

        Args:
            names: Of that table's rows.
            before: Rows whose version is not below it stay.
        """
        gone = [row for row in self.rows() if row.version < before and row.name not in names]
        for row in gone:
            self._remove(row)
        return gone

    def follow(self, rows: Iterable[Row]) -> list[Row]:
        """Have rows as another has them, newer or not; return those that were not here."""
        new = []
        for row in rows:
            known = self._rows.get(row.key, {}).get(row.pattern)
            if known == row:
                continue
            if known is not None:
                self._remove(known)
            self._rows.setdefault(row.key, {})[row.pattern] = row
            self._count_in(row)
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

    def _is_stale(self, row: Row, batch: tuple[Row, ...], now_us: int) -> bool:
        if row.expires_us and row.expires_us <= now_us:
            return True
        if not row.withdrawn or now_us - row.made_us < self._horizon_us:
            return False
        others = (*self._rows.get(row.key, {}).values(), *batch)
        return not self._carves(row, others)

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

    def _replace(self, row: Row) -> list[Row]:
        rows = self._rows.setdefault(row.key, {})
        gone = [other for other in rows.values() if self._takes_place(row, other)]
        for other in gone:
            del rows[other.pattern]
            self._count_out(other)
        rows[row.pattern] = row
        self._count_in(row)
        return [other for other in gone if other.pattern != row.pattern]

    def _remove(self, row: Row) -> None:
        self._count_out(row)
        rows = self._rows[row.key]
        del rows[row.pattern]
        if not rows:
            del self._rows[row.key]

    def _count_in(self, row: Row) -> None:
        self._digest.add(row.digest)
        self._weigh(row, weight_of_request(row))

    def _count_out(self, row: Row) -> None:
        self._digest.remove(row.digest)
        self._weigh(row, -weight_of_request(row))

    def _weigh(self, row: Row, change: int) -> None:
        self.bytes += change
        self._bytes_of[row.source] += change
        if not self._bytes_of[row.source]:
            del self._bytes_of[row.source]
