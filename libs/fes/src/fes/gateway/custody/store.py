"""Custody: the persistent events that a gateway must deliver, and records of those that left.

A row is one event for one destination. It is deleted when the next gateway has committed it or the
destination's adapter has confirmed it, and leaves a delivery record for as long as a copy may come.

Source:
    design, section 6, Delivery.
"""

from collections import OrderedDict
from collections.abc import Callable, Container, Iterator, Mapping
from typing import NamedTuple

import msgspec

from fes.errors import EventError, KeyFormatError
from fes.gateway.forwarding.transit import Transit, weight_of_event
from fes.gateway.journal_keys import END, key_of, parts_of
from fes.gateway.outputs import DropRow, PutRow
from fes.gateway.settings import GatewaySettings
from fes.gateway.turn import Turn
from fes.model import check_stamp

ROW, MARK = f"row{END}", f"mark{END}"
"""What the keys of rows and delivery records begin with, in the journal."""

RENEWALS = 8
"""How often at most the record of a repeated event is renewed in one retransmission horizon."""

KEY_PARTS = 3
_NOTHING = (0, 0)
_INT64 = 2**63

Key = tuple[str, str, str]
"""An event's identity as text, its destination, and the home within which the identity is
unique."""


class Handover(NamedTuple):
    """How custody of an event came to this gateway from another.

    Attributes:
        giver: The gateway that sent it, and waits for an acknowledgement.
        row: The number of its row.
    """

    giver: str
    row: int


class CustodyRow(msgspec.Struct, frozen=True, array_like=True):
    """An event for one destination, in this gateway's custody.

    Attributes:
        place: Its place in the order; it never changes.
        number: Identifies it in acknowledgements; a row that is accepted again has a new number.
        destination: Event service identifier.
        event: The event.
        handover: How it came from another gateway; None where it did not, or where no gateway waits
            for an answer.
    """

    place: int
    number: int
    destination: str
    event: Transit
    handover: Handover | None = None

    @property
    def key(self) -> Key:
        """The identity of a row: event, destination and home."""
        return row_key(self.event, self.destination)


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """The delivery record of a row that was deleted.

    Attributes:
        final: Whether the destination has the event; otherwise the next gateway has custody of it.
        at_us: When, own clock.
    """

    final: bool
    at_us: int


_row_encoder = msgspec.msgpack.Encoder()
_row_decoder = msgspec.msgpack.Decoder(CustodyRow)
_mark_decoder = msgspec.msgpack.Decoder(Mark)


class Custody:
    """Keeps rows and delivery records.

    Args:
        settings: Of the gateway.
        next_number: Returns numbers, each once in the life of a federation's gateway.

    Attributes:
        forgotten: Delivery records that were deleted before their time, because there were too
            many.
        bytes: Weight of all rows.
    """

    def __init__(self, settings: GatewaySettings, next_number: Callable[[], int]) -> None:
        self.forgotten = 0
        self._settings = settings
        self._next_number = next_number
        self._rows: dict[Key, CustodyRow] = {}
        self._by_number: dict[int, Key] = {}
        self._marks: OrderedDict[Key, Mark] = OrderedDict()
        self._held: dict[str, tuple[int, int]] = {}
        self.bytes = 0

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._rows)

    def __iter__(self) -> Iterator[CustodyRow]:
        """Iterate over the rows, in their order."""
        return iter(sorted(self._rows.values(), key=lambda row: row.place))

    def concerned(self, subjects: Container[str]) -> Iterator[Key]:
        """Yield what names the rows of events of some subjects, in no order."""
        return (key for key, row in self._rows.items() if row.event.subject in subjects)

    def full(self, event: Transit, destination: str) -> bool:
        """Return whether no further row for a destination is accepted.

        Each destination has room for a number of rows of its own. All destinations share the bytes:
        one may use no more of them than it leaves free, so that a destination that is away does not
        use what others need. An event that passed more event services finds room where a new one
        does not: so two full gateways can exchange what each has to forward, and neither waits for
        ever.
        """
        settings, passed = self._settings, len(event.path)
        rows, size = self._held.get(destination, _NOTHING)
        if rows >= settings.custody + max(1, settings.custody // settings.max_hops) * passed:
            return True
        most = settings.custody_bytes + settings.custody_bytes // settings.max_hops * passed
        return size > most - self.bytes - weight_of_event(event)

    @property
    def marks(self) -> int:
        """The number of delivery records."""
        return len(self._marks)

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Restore what the journal kept."""
        for key, value in state.items():
            if key.startswith(ROW):
                self._keep(read_row(key, value))
            elif key.startswith(MARK):
                marked, mark = read_mark(key, value)
                self._marks[marked] = mark
        self._marks = OrderedDict(sorted(self._marks.items(), key=lambda item: item[1].at_us))

    def highest(self) -> int:
        """Return the largest number that any row has; 0 where there is none."""
        return max((max(row.number, row.place) for row in self._rows.values()), default=0)

    def get(self, key: Key) -> CustodyRow | None:
        """Return a row; None where there is none."""
        return self._rows.get(key)

    def numbered(self, number: int) -> CustodyRow | None:
        """Return the row of a number; None where it was deleted, or accepted again since."""
        key = self._by_number.get(number)
        return None if key is None else self._rows[key]

    def answered(self, key: Key, turn: Turn, *, given: bool) -> bool:
        """Return whether this gateway had custody of an event, so that a copy is a repetition.

        The record of a repeated event is kept for a whole retransmission horizon again: the sender
        of a copy has no answer yet, and sends another copy if this answer is lost, too.

        Args:
            key: Its identity and destination.
            turn: Collects what comes of it.
            given: Whether another gateway transfers custody of the copy. It may send back what it
                received from here: then only what reached its destination is a repetition.
        """
        if key not in self._marks:
            key = (*key[:2], "")
        mark = self._marks.get(key)
        if mark is None or (given and not mark.final):
            return False
        if turn.own_us - mark.at_us >= self._settings.retransmission_us // RENEWALS:
            self._mark(key, Mark(mark.final, turn.own_us), turn)
        return True

    def take(
        self, event: Transit, destination: str, handover: Handover | None, turn: Turn
    ) -> CustodyRow:
        """Accept an event into custody, or renew the row of one that is sent again.

        Returns:
            The row; it must be committed before it is acknowledged or sent.
        """
        held = self._rows.get(row_key(event, destination))
        number = self._next_number()
        place = number if held is None else held.place
        if held is not None:
            self._let_go(held)
        row = CustodyRow(place, number, destination, event, handover)
        self._keep(row)
        turn.mutations.append(PutRow(name_of(ROW, row.key), _row_encoder.encode(row)))
        return row

    def complete(self, row: CustodyRow, turn: Turn, *, final: bool) -> None:
        """Delete a row, and keep a delivery record of it."""
        self._let_go(row)
        turn.mutations.append(DropRow(name_of(ROW, row.key)))
        self._mark(row.key, Mark(final, turn.own_us), turn)
        if len(self._marks) > self._settings.marks:
            self.forgotten += 1
            self._forget(next(iter(self._marks)), turn)

    def expire(self, turn: Turn) -> None:
        """Delete the records of events of which no copy can come any more."""
        before_us = turn.own_us - self._settings.retransmission_us
        while self._marks:
            key, mark = next(iter(self._marks.items()))
            if mark.at_us > before_us:
                return
            self._forget(key, turn)

    def _mark(self, key: Key, mark: Mark, turn: Turn) -> None:
        self._marks.pop(key, None)
        self._marks[key] = mark
        turn.mutations.append(PutRow(name_of(MARK, key), _row_encoder.encode(mark)))

    def _keep(self, row: CustodyRow) -> None:
        self._rows[row.key] = row
        self._by_number[row.number] = row.key
        self._count(row, 1)

    def _let_go(self, row: CustodyRow) -> None:
        del self._rows[row.key]
        del self._by_number[row.number]
        self._count(row, -1)

    def _count(self, row: CustodyRow, sign: int) -> None:
        change = sign * weight_of_event(row.event)
        rows, size = self._held.pop(row.destination, _NOTHING)
        self.bytes += change
        if rows + sign:
            self._held[row.destination] = (rows + sign, size + change)

    def _forget(self, key: Key, turn: Turn) -> None:
        del self._marks[key]
        turn.mutations.append(DropRow(name_of(MARK, key)))


def row_key(event: Transit, destination: str) -> Key:
    """Return the identity of the row of an event for a destination."""
    return event.id, destination, event.stamp.home


def read_row(key: str, value: bytes) -> CustodyRow:
    """Return the row that the journal contains under a key.

    Raises:
        msgspec.DecodeError: The value is not a row.
        KeyFormatError: The key is another row's.
        EventError: Its event has a stamp that is out of range.
    """
    row = _row_decoder.decode(value)
    check_stamp(row.event.stamp)
    if key not in (name_of(ROW, row.key), earlier_name(ROW, row.key)):
        raise KeyFormatError(f"a row is not the one that {key[:100]!r} names")
    if not all(0 < number < _INT64 for number in (row.number, row.place)):
        raise EventError("a row's number is out of range")
    return row


def read_mark(key: str, value: bytes) -> tuple[Key, Mark]:
    """Return the identity that a delivery record of the journal is of, and the record.

    A record in the format before this one names no home: then the home is empty.

    Raises:
        msgspec.DecodeError: The value is none.
        KeyFormatError: The key is not that of a delivery record.
    """
    mark = _mark_decoder.decode(value)
    if not key.endswith(END):
        identity, _, destination = key.removeprefix(MARK).rpartition(END)
        return (identity, destination, ""), mark
    parts = parts_of(key)[1:]
    if len(parts) != KEY_PARTS:
        raise KeyFormatError(f"{key[:100]!r} names no delivery record")
    return (parts[0], parts[1], parts[2]), mark


def earlier_name(kind: str, key: Key) -> str:
    """Return the name of a row or a delivery record in the format before this one."""
    return f"{kind}{key[0]}{END}{key[1]}"


def name_of(kind: str, key: Key) -> str:
    """Return the name of a row or a delivery record in the journal."""
    return key_of(kind.removesuffix(END), *key)
