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

from fes.gateway.outputs import DropRow, PutRow
from fes.gateway.passing import Passing
from fes.gateway.settings import GatewaySettings
from fes.gateway.turn import Turn

ROW, MARK = "row\x1f", "mark\x1f"
"""What the keys of rows and marks begin with, in the journal."""

Key = tuple[str, str]
"""An event's identity as text, and its destination."""


class Gift(NamedTuple):
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
        number: Names it in acknowledgements; a row that is given anew is a new row.
        destination: Event service identifier.
        event: The event.
        gift: How it came from another gateway; None where it did not, or waits for no answer.
    """

    place: int
    number: int
    destination: str
    event: Passing
    gift: Gift | None = None

    @property
    def key(self) -> Key:
        """What makes two rows the same."""
        return self.event.id, self.destination


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
    """

    def __init__(self, settings: GatewaySettings, next_number: Callable[[], int]) -> None:
        self.forgotten = 0
        self._settings = settings
        self._next_number = next_number
        self._rows: dict[Key, CustodyRow] = {}
        self._by_number: dict[int, Key] = {}
        self._marks: OrderedDict[Key, Mark] = OrderedDict()

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._rows)

    def __iter__(self) -> Iterator[CustodyRow]:
        """Iterate over the rows, in their order."""
        return iter(sorted(self._rows.values(), key=lambda row: row.place))

    def full(self, passed: int) -> bool:
        """Tell whether no further row is taken of an event that passed so many event services.

        What came further finds room where what is new does not: so two full gateways can give one
        another what lies behind them, and neither waits for the other for ever.
        """
        reserve = max(1, self._settings.custody // self._settings.max_hops)
        return len(self._rows) >= self._settings.custody + reserve * passed

    @property
    def marks(self) -> int:
        """The number of marks."""
        return len(self._marks)

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Take back what the journal kept."""
        for key, value in state.items():
            if key.startswith(ROW):
                self._keep(_row_decoder.decode(value))
            elif key.startswith(MARK):
                self._marks[_key(key)] = _mark_decoder.decode(value)
        self._marks = OrderedDict(sorted(self._marks.items(), key=lambda item: item[1].at_us))

    def highest(self) -> int:
        """Return the largest number that any row has; 0 where there is none."""
        return max((max(row.number, row.place) for row in self._rows.values()), default=0)

    def get(self, key: Key) -> CustodyRow | None:
        """Return a row; None where it is not held."""
        return self._rows.get(key)

    def numbered(self, number: int) -> CustodyRow | None:
        """Return the row that a number names; None where it went, or was given anew since."""
        key = self._by_number.get(number)
        return None if key is None else self._rows[key]

    def answered(self, key: Key, *, given: bool) -> bool:
        """Tell whether this gateway answered for an event, so that a copy is a repetition.

        Args:
            key: Its identity and destination.
            given: Whether another gateway gives the copy into custody. It may give back what it
                was given: then only what reached its destination is a repetition.
        """
        mark = self._marks.get(key)
        return mark is not None and (mark.final or not given)

    def take(self, event: Passing, destination: str, gift: Gift | None, turn: Turn) -> CustodyRow:
        """Take an event into custody, or hold anew what is given again.

        Returns:
            The row; it must be committed before anything is said about it.
        """
        held = self._rows.get((event.id, destination))
        number = self._next_number()
        place = number if held is None else held.place
        if held is not None:
            del self._by_number[held.number]
        row = CustodyRow(place, number, destination, event, gift)
        self._keep(row)
        turn.mutations.append(PutRow(ROW + _name(row.key), _row_encoder.encode(row)))
        return row

    def complete(self, row: CustodyRow, turn: Turn, *, final: bool) -> None:
        """Let a row go, and mark what became of it."""
        del self._rows[row.key]
        del self._by_number[row.number]
        name = _name(row.key)
        mark = Mark(final, turn.own_us)
        self._marks.pop(row.key, None)
        self._marks[row.key] = mark
        turn.mutations.append(DropRow(ROW + name))
        turn.mutations.append(PutRow(MARK + name, _row_encoder.encode(mark)))
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

    def _keep(self, row: CustodyRow) -> None:
        self._rows[row.key] = row
        self._by_number[row.number] = row.key

    def _forget(self, key: Key, turn: Turn) -> None:
        del self._marks[key]
        turn.mutations.append(DropRow(MARK + _name(key)))


def _name(key: Key) -> str:
    return "\x1f".join(key)


def _key(name: str) -> Key:
    _, identity, destination = name.split("\x1f")
    return identity, destination
