"""Custody: the persistent events that a gateway answers for, and those that it answered for.

A row is one event for one destination. It goes when the next gateway has committed it or the
destination's adapter has confirmed it, and leaves a mark for as long as a copy may come.

Source:
    design, section 6, Delivery.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
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
"""What the keys of rows and marks begin with, in the journal."""

RENEWALS = 8
"""Most renewals of the record of a repeated event in a retransmission horizon."""

KEY_PARTS = 3
_NOTHING = (0, 0)
_INT64 = 2**63

Key = tuple[str, str, str]
"""An event's identity as text, its destination, and the home that the identity is unique in."""


class Handover(NamedTuple):
    """How custody of an event came to this gateway from another.

    Attributes:
        giver: The gateway that gave it, and waits for an acknowledgement.
        row: Which of its rows.
    """

    giver: str
    row: int


class CustodyRow(msgspec.Struct, frozen=True, array_like=True):
    """An event for one destination, in this gateway's custody.

    Attributes:
        place: Its place in the order; stays.
        number: Names it in acknowledgements; a row that is given again is a new row.
        destination: Event service identifier.
        event: The event.
        handover: How it came from another gateway; None where it did not, or waits for no answer.
    """

    place: int
    number: int
    destination: str
    event: Transit
    handover: Handover | None = None

    @property
    def key(self) -> Key:
        """What makes two rows the same."""
        return row_key(self.event, self.destination)


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """What became of a row.

    Attributes:
        final: Whether the destination has the event; otherwise the next gateway answers for it.
        at_us: When, own clock.
    """

    final: bool
    at_us: int


_row_encoder = msgspec.msgpack.Encoder()
_row_decoder = msgspec.msgpack.Decoder(CustodyRow)
_mark_decoder = msgspec.msgpack.Decoder(Mark)


class Custody:
    """Keeps rows and marks.

    Args:
        settings: Of the gateway.
        next_number: Gives out numbers, each once in the life of a federation's gateway.

    Attributes:
        forgotten: Marks that went before their time, because there were too many.
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

    def full(self, event: Transit, destination: str) -> bool:
        """Return whether no further row for a destination is accepted.

        Each destination has room for so many rows of its own. The bytes are shared by all: one may
        use no more of them than it leaves free, so that a destination that is away does not use
        what others need. What came further finds room where what is new does not: so two full
        gateways can send one another what lies behind them, and neither waits for ever.
        """
        settings, passed = self._settings, len(event.path)
        rows, size = self._held.get(destination, _NOTHING)
        if rows >= settings.custody + max(1, settings.custody // settings.max_hops) * passed:
            return True
        most = settings.custody_bytes + settings.custody_bytes // settings.max_hops * passed
        return size > most - self.bytes - weight_of_event(event)

    @property
    def marks(self) -> int:
        """The number of marks."""
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
        """Return a row; None where it is not held."""
        return self._rows.get(key)

    def numbered(self, number: int) -> CustodyRow | None:
        """Return the row that a number names; None where it went, or was given again since."""
        key = self._by_number.get(number)
        return None if key is None else self._rows[key]

    def answered(self, key: Key, turn: Turn, *, given: bool) -> bool:
        """Return whether this gateway answered for an event, so that a copy is a repetition.

        The record of a repeated event is kept for a whole retransmission horizon again: who sends a
        copy has no answer yet, and sends another if this answer is lost, too.

        Args:
            key: Its identity and destination.
            turn: Collects what comes of it.
            given: Whether another gateway returns the copy into custody. It may return what it
                was given: then only what reached its destination is a repetition.
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
        """Accept an event into custody, or hold again what is given again.

        Returns:
            The row; it must be committed before anything is said about it.
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
        """Let a row go, and mark what became of it."""
        self._let_go(row)
        turn.mutations.append(DropRow(name_of(ROW, row.key)))
        self._mark(row.key, Mark(final, turn.own_us), turn)
        if len(self._marks) > self._settings.marks:
            self.forgotten += 1
            self._forget(next(iter(self._marks)), turn)

    def expire(self, turn: Turn) -> None:
        """Forget the marks of events of which no copy comes any more."""
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
    """Return what names an event for a destination."""
    return event.id, destination, event.stamp.home


def read_row(key: str, value: bytes) -> CustodyRow:
    """Return the row that the journal kept under a key.

    Raises:
        msgspec.DecodeError: The value is none.
        KeyFormatError: It is another row's.
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
    """Return what a mark of the journal is of, and the mark.

    A mark of the format before this one names no home: then the home is empty.

    Raises:
        msgspec.DecodeError: The value is none.
        KeyFormatError: The key is none of a mark.
    """
    mark = _mark_decoder.decode(value)
    if not key.endswith(END):
        identity, _, destination = key.removeprefix(MARK).rpartition(END)
        return (identity, destination, ""), mark
    parts = parts_of(key)[1:]
    if len(parts) != KEY_PARTS:
        raise KeyFormatError(f"{key[:100]!r} names no mark")
    return (parts[0], parts[1], parts[2]), mark


def earlier_name(kind: str, key: Key) -> str:
    """Return how the format before this one named a row or a mark."""
    return f"{kind}{key[0]}{END}{key[1]}"


def name_of(kind: str, key: Key) -> str:
    """Return the name of a row or a mark in the journal."""
    return key_of(kind.removesuffix(END), *key)
