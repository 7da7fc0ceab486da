"""A row of the request table: one pattern of one request, or of its withdrawal.

Source:
    design, section 4; ADR 14.
"""

import functools
from typing import Annotated, Any, Final, NamedTuple

import msgspec
from msgspec import Meta

from fes.control import RequestType
from fes.control.event import WITHDRAWING
from fes.control.signal import Name, Whole
from fes.errors import EventError
from fes.gateway.digest import digest_of
from fes.gateway.journal_keys import key_of
from fes.gateway.weights import weight_of_text
from fes.model import Stamp, check_stamp

_WITHDRAWING = {registry: withdrawing for withdrawing, registry in WITHDRAWING.items()}

FOREVER = 1 << 62
"""The end of a row that has none, on the own clock."""

Text = Annotated[str, Meta(max_length=1 << 20)]
"""A filter, or what a request is about, bounded for the journal's sake."""

CACHED: Final = 4096
CACHED_TEXT: Final = 1024
"""Names and digests that are remembered, and most characters of their parts: all gateways of a
process that receive a request compute the same ones."""

Rank = tuple[int, bool, str]
"""Orders the requests of a key; the version decides, and the others break ties."""


class Key(NamedTuple):
    """What identifies a request, apart from its patterns.

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


class Row(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One pattern of a request, or of its withdrawal.

    Attributes:
        kind, source, requester, what: The key.
        pattern: Of event service identifiers.
        withdrawn: Whether the newest request withdraws it.
        version: Newer requests have larger ones.
        since_us: When it was accepted here, own clock; 0 where it came from a neighbour that was
            away, or new.
        expires_us: When its lease ends, wall clock; 0 is never.
        filter: As the client wrote it.
        body: The announced event as MessagePack; empty for subscriptions.
        request: The request's stamp.
        until_us: When its lease ends here, or the withdrawal is forgotten, own clock; 0 is never.
            As sent to another gateway: how long until then.
        outlives_us: When the last version ends that it superseded, own clock, if that is later; 0
            where none does, `FOREVER` where one had no end. As sent: how long until then.
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
        make = _name_of.__wrapped__ if len(self.what) > CACHED_TEXT else _name_of
        return make(self.kind, self.source, self.requester, self.what, self.pattern)

    @property
    def type(self) -> RequestType:
        """The type of the row's request: a withdrawal where it was withdrawn."""
        return _WITHDRAWING[self.kind] if self.withdrawn else self.kind

    @property
    def rank(self) -> Rank:
        """The order of the row among those of its key.

        The newest is the largest, at every gateway.
        """
        return self.version, self.withdrawn, str(self.request.identity)

    @property
    def digest(self) -> int:
        """The digest of the row, the same at every gateway that has it."""
        name = self.name
        make = _digest_of.__wrapped__ if len(name) > CACHED_TEXT else _digest_of
        return make(name, self.rank, self.expires_us)

    @property
    def last_us(self) -> int:
        """The last end of the row and of what it superseded, own clock."""
        return max(self.until_us or FOREVER, self.outlives_us)

    def told(self, own_us: int) -> "Row":
        """Return the row as it is sent to another gateway: with durations in place of moments."""
        return msgspec.structs.replace(
            self,
            since_us=0,
            until_us=self.until_us and max(1, self.until_us - own_us),
            outlives_us=max(0, _shifted(self.outlives_us, -own_us)),
        )

    def heard(self, own_us: int, horizon_us: int, since_us: int) -> "Row":
        """Return a row that another gateway sent, as it is kept here.

        Args:
            own_us: The own time.
            horizon_us: How long a withdrawal is kept that ended nothing that lasts longer.
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


@functools.lru_cache(maxsize=CACHED)
def _name_of(kind: RequestType, source: str, requester: str, what: str, pattern: str) -> str:
    return key_of(str(int(kind)), source, requester, what, pattern)


@functools.lru_cache(maxsize=CACHED)
def _digest_of(name: str, rank: Rank, expires_us: int) -> int:
    return digest_of(name, *rank, expires_us)


_row_decoder = msgspec.msgpack.Decoder(Row)
_INT64 = 2**63


def read_row_of_table(value: bytes) -> Row:
    """Return the row that the journal kept.

    Raises:
        msgspec.DecodeError: The value is not a row.
        EventError: Its stamp, or a number in it, is out of range.
    """
    row = _row_decoder.decode(value)
    check_stamp(row.request)
    for number in (row.version, row.since_us, row.expires_us, row.until_us, row.outlives_us):
        if not -_INT64 <= number < _INT64:
            raise EventError(f"{number} is out of range")
    return row


REQUEST_BYTES: Final = 1500
"""Bytes that a row accounts for beside its texts and its body."""


def weight_of_request(row: Row) -> int:
    """Return the bytes of memory that a row accounts for."""
    texts = (row.source, row.requester, row.what, row.pattern, row.filter, row.request.origin)
    # Its key and its name in the journal have the same texts again.
    return REQUEST_BYTES + len(row.body) + 2 * sum(map(weight_of_text, texts))


def is_newer(row: Row, other: Row) -> bool:
    """Return whether a row's rank is larger than another's; mostly its version decides."""
    if row.version != other.version:
        return row.version > other.version
    return row.rank > other.rank


def outliving(row: Row, last_us: int) -> Row:
    """Return a row that replaces others, with their last end."""
    if not row.until_us:
        return row
    if row.withdrawn and row.until_us < last_us < FOREVER:
        return msgspec.structs.replace(row, until_us=last_us)
    return ended_at(row, row.until_us, outlives_us=max(last_us, row.outlives_us))


def ended_at(row: Row, until_us: int, **others: Any) -> Row:
    """Return a row with another end; the end of superseded rows counts where it is later."""
    row = msgspec.structs.replace(row, until_us=until_us, **others)
    if 0 < row.outlives_us <= until_us:
        return msgspec.structs.replace(row, outlives_us=0)
    return row


def _shifted(moment_us: int, by_us: int) -> int:
    """Return a moment shifted, unless it is never, or has no end."""
    return moment_us if moment_us in (0, FOREVER) else moment_us + by_us
