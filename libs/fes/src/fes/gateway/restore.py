"""Restoring: what the journal kept is checked before it is used.

A row that cannot be read is set aside: it is kept under a key of its own for inspection, counted
and logged, and the rest is restored. A row under a name in the format before this one is renamed.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from fes.control import RequestType
from fes.errors import FesError, KeyFormatError
from fes.gateway.custody.store import MARK, ROW, CustodyRow, name_of, read_mark, read_row
from fes.gateway.forwarding.sent_window import LATE, read_late, read_reserved
from fes.gateway.forwarding.transit import weight_of_event
from fes.gateway.journal_keys import END, key_of
from fes.gateway.numbering import RESERVED
from fes.gateway.outputs import Decided, DropRow, Mutation, PutRow
from fes.gateway.own_clock import CLOCK
from fes.gateway.peers.absence import CONTACT
from fes.gateway.replication import RESERVE, ROSTER, is_request, read_roster
from fes.gateway.requests.row import Row, read_row_of_table, weight_of_request
from fes.gateway.requests.versions import FORGOTTEN
from fes.gateway.settings import GatewaySettings

ASIDE = f"aside{END}"
"""What the keys of rows begin with that could not be read."""

MOST_ASIDE = 100
ASIDE_BYTES = 64 * 1024
"""Most rows that are set aside, and the size of the largest; further ones are only counted and
logged."""

REASON = "row of the journal cannot be read"

TOO_MUCH = "row of the journal is beyond what memory there is"

_FAULTS = (msgspec.MsgspecError, FesError, ValueError, OverflowError, RecursionError)


class Sound(NamedTuple):
    """The part of a journal that can be restored.

    Attributes:
        rows: By key, under their present names; None where a key was deleted.
        repairs: Mutations that correct the journal accordingly.
        aside: Rows that could not be read, as decisions for the event log.
    """

    rows: dict[str, bytes | None]
    repairs: list[Mutation]
    aside: list[Decided]

    @property
    def state(self) -> dict[str, bytes]:
        """The rows that were not deleted."""
        return {key: value for key, value in self.rows.items() if value is not None}


def sound(state: Mapping[str, bytes | None]) -> Sound:
    """Return the part of a journal's state, or of changes to it, that can be restored.

    Args:
        state: By key, as it was read; None where a key was deleted.
    """
    found = Sound({}, [], [])
    kept = sum(key.startswith(ASIDE) for key in state)
    for key, value in state.items():
        if value is None or key.startswith(ASIDE):
            found.rows.setdefault(key, value)
            continue
        try:
            name = _name_today(key, value)
        except _FAULTS as error:
            found.aside.append(_told(key, str(error) or repr(error)))
            found.repairs.append(DropRow(key))
            if kept < MOST_ASIDE and len(value) <= ASIDE_BYTES:
                kept += 1
                found.repairs.append(PutRow(key_of(ASIDE.removesuffix(END), key), value))
            continue
        if name == key:
            found.rows[name] = value
            continue
        found.repairs.append(DropRow(key))
        if name not in state:  # else it was written again since, under its present name
            found.repairs.append(PutRow(name, value))
            found.rows[name] = value
    return found


def within(read: Sound, settings: GatewaySettings) -> Sound:
    """Return the rows that fit within the limits; the rest is dropped and reported.

    A journal that was written under larger limits may exceed them. Of requests the smallest stay,
    of rows in custody the oldest.

    Args:
        read: The part that can be read.
        settings: Of the gateway.
    """
    state = read.state
    weights = [
        (weight_of_request(read_row_of_table(state[key])), key) for key in state if is_request(key)
    ]
    rows = [(row.place, weight_of_event(row.event), key) for key, row in _custody_of(state)]
    gone = _beyond(sorted(weights), settings.requests_bytes)
    gone += _beyond([each[1:] for each in sorted(rows)], 2 * settings.custody_bytes)
    for key in gone:
        del read.rows[key]
        read.repairs.append(DropRow(key))
        read.aside.append(Decided("dropped", reason=TOO_MUCH, what=f"{key[:100]!r}"))
    return read


def _custody_of(state: Mapping[str, bytes]) -> Iterator[tuple[str, CustodyRow]]:
    for key, value in state.items():
        if key.startswith(ROW):
            yield key, read_row(key, value)


def _beyond(weights: list[tuple[int, str]], most: int) -> list[str]:
    """Return the keys, in order, for which there is no room."""
    gone = []
    for weight, key in weights:
        most -= weight
        if most < 0:
            gone.append(key)
    return gone


def _told(key: str, error: str) -> Decided:
    return Decided("dropped", reason=REASON, what=f"{key[:100]!r}: {error[:300]}")


def _name_today(key: str, value: bytes) -> str:
    """Return the present name of a row that can be read; keys of others than the core stay."""
    if is_request(key):
        return _request(key, value)
    for begin, name in _KINDS.items():
        if key.startswith(begin):
            return name(key, value)
    if key in (CONTACT, CLOCK, FORGOTTEN, RESERVED):
        _whole(value)
    elif key == ROSTER:
        read_roster(value)
    return key


def _request(key: str, value: bytes) -> str:
    row: Row = read_row_of_table(value)
    if row.kind not in (RequestType.SUBSCRIPTION, RequestType.ANNOUNCEMENT):
        raise KeyFormatError(f"a row of the request table cannot be {row.kind.word}")
    if key not in (row.name, _earlier_name(row)):
        raise KeyFormatError("the row is another's")
    return row.name


def _earlier_name(row: Row) -> str:
    """Return the name of a row of the request table in the format before this one."""
    return END.join((str(int(row.kind)), row.source, row.requester, row.what, row.pattern))


def _row(key: str, value: bytes) -> str:
    return name_of(ROW, read_row(key, value).key)


def _mark(key: str, value: bytes) -> str:
    return name_of(MARK, read_mark(key, value)[0])


def _reserved(key: str, value: bytes) -> str:
    _whole(value)
    return read_reserved(key)


def _late(key: str, value: bytes) -> str:
    del value
    return read_late(key)


def _whole(value: bytes) -> int:
    number = int(value)
    if not 0 <= number < 1 << 64:
        raise KeyFormatError(f"{number} is out of range")
    return number


_KINDS: dict[str, Callable[[str, bytes], str]] = {
    ROW: _row,
    MARK: _mark,
    RESERVE: _reserved,
    LATE: _late,
}
