"""Delivery records: which best-effort events were sent to a destination already.

Where native clients suppress a repeated identity, records may be forgotten in a restart. Elsewhere
a sequence number is reserved in the journal before the event is sent: ahead by no more events than
the origin sent in the last second, so that a restart costs no more than those.

An event that had to wait for its `StartTime` may come after many that are newer: each of these is
remembered by itself, as many as a window has.

Source:
    design, section 6, Delivery.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from eventservices.suppress import Suppressor

from fes.errors import KeyFormatError
from fes.gateway.journal_keys import END, key_of, parts_of
from fes.gateway.outputs import DropRow, PutRow
from fes.gateway.replication import RESERVE
from fes.gateway.settings import GatewaySettings
from fes.gateway.turn import Turn
from fes.model import Stamp

_SECOND_US = 1_000_000

LATE = f"late{END}"
"""What the keys begin with of events that were sent after their `StartTime`."""

_RESERVE_PARTS = 5


@dataclass(slots=True)
class _Reserved:
    """Sequence numbers that one origin may have used at one destination.

    Attributes:
        floor: Numbers up to it were reserved before a restart: none of them is sent any more.
        upto: Numbers up to it are reserved.
        second: Second of the federation clock in which `count` events were sent.
        count: Events in that second.
        before: Events in the second before it.
    """

    floor: int
    upto: int
    second: int = 0
    count: int = 0
    before: int = 0

    def ahead(self, now_us: int) -> int:
        """Count an event; return how many numbers to reserve ahead of it."""
        second = now_us // _SECOND_US
        if second != self.second:
            self.before = self.count if second == self.second + 1 else 0
            self.second, self.count = second, 0
        self.count += 1
        return max(self.before, self.count - 1)


class SentWindow:
    """Remembers which events were sent to which destination.

    Args:
        settings: Of the gateway.
        repeating: Event services whose native clients do not suppress a repeated identity.
    """

    def __init__(self, settings: GatewaySettings, repeating: Mapping[str, None]) -> None:
        self._settings = settings
        self._repeating = repeating
        self._windows: dict[str, Suppressor] = {}
        self._reserved: OrderedDict[str, _Reserved] = OrderedDict()
        self._late: OrderedDict[str, bool] = OrderedDict()

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Restore what was reserved; numbers that this process reserved itself stay usable."""
        for key, value in state.items():
            if key.startswith(RESERVE) and key not in self._reserved:
                self._reserved[key] = _Reserved(int(value), int(value))
            elif key.startswith(LATE):
                self._late[key] = True

    def reserved_elsewhere(self, key: str, value: bytes | None) -> None:
        """Note what another replica reserved, or deleted; this one sends none of these numbers."""
        if value is None:
            self._reserved.pop(key, None)
            return
        upto, known = int(value), self._reserved.setdefault(key, _Reserved(0, 0))
        if upto == known.upto:
            return  # this replica's own reservation, read with a whole state
        known.floor, known.upto = max(known.floor, upto), max(known.upto, upto)
        if len(self._reserved) > self._settings.origins:
            self._reserved.popitem(last=False)

    def repeated(
        self,
        stamp: Stamp,
        destination: str,
        turn: Turn,
        *,
        persistent: bool = False,
        late: bool = False,
    ) -> bool:
        """Return whether an event was sent to a destination before, and remember it.

        Args:
            stamp: Of the event.
            destination: Event service identifier.
            turn: Collects the mutations.
            persistent: Whether the event is persistent. One replica sends the persistent events of
                an origin and another may send the others: each reserves numbers of its own.
            late: Whether the event had to wait for its `StartTime`.
        """
        if late:
            return self._was_late(stamp, destination, turn)
        marks = self._windows.get(destination)
        if marks is None:
            marks = Suppressor(self._settings.window, self._settings.origins)
            self._windows[destination] = marks
        if marks.repeated(stamp):
            return True
        if destination not in self._repeating:
            return False
        kind = "p" if persistent else ""
        return self._was_reserved(stamp, reserve_key(stamp, destination, kind), turn)

    def _was_late(self, stamp: Stamp, destination: str, turn: Turn) -> bool:
        key = key_of(LATE.removesuffix(END), destination, *map(str, stamp.key))
        if key in self._late:
            return True
        kept = self._late[key] = destination in self._repeating
        if kept:
            turn.mutations.append(PutRow(key, b""))
        if len(self._late) > self._settings.window:
            oldest, was_kept = self._late.popitem(last=False)
            if was_kept:
                turn.mutations.append(DropRow(oldest))
        return False

    def _was_reserved(self, stamp: Stamp, key: str, turn: Turn) -> bool:
        known = self._reserved.get(key)
        if known is None:
            before = self._reserved.get(_without_home(key))
            floor = 0 if before is None else before.floor
            known = self._reserved[key] = _Reserved(floor, floor)
            if len(self._reserved) > self._settings.origins:
                turn.mutations.append(DropRow(self._reserved.popitem(last=False)[0]))
        self._reserved.move_to_end(key)
        if stamp.sequence <= known.floor:
            return True
        ahead = known.ahead(turn.own_us)
        if stamp.sequence > known.upto:
            known.upto = stamp.sequence + ahead
            turn.mutations.append(PutRow(key, str(known.upto).encode()))
        return False


def reserve_key(stamp: Stamp, destination: str, kind: str) -> str:
    """Return the key of the numbers that an origin may have used at a destination."""
    parts = (destination, stamp.origin, str(stamp.epoch), kind, stamp.home)
    return key_of(RESERVE.removesuffix(END), *parts)


def read_reserved(key: str) -> str:
    """Return the present key of reserved numbers; a key in the format before names no home.

    Raises:
        KeyFormatError: The key is not that of reserved numbers.
    """
    if not key.endswith(END):
        destination, _, rest = key.removeprefix(RESERVE).partition(END)
        kind = "p" if rest.endswith(f"{END}p") else ""
        origin, _, epoch = (rest[:-2] if kind else rest).rpartition(END)
        return key_of(RESERVE.removesuffix(END), destination, origin, epoch, kind, "")
    if len(parts_of(key)) != 1 + _RESERVE_PARTS:
        raise KeyFormatError(f"{key[:100]!r} names no reserved numbers")
    return key


def read_late(key: str) -> str:
    """Return the key of an event that was sent after its `StartTime`.

    Raises:
        KeyFormatError: The key is not that of such an event.
    """
    if len(parts_of(key)) != 1 + _RESERVE_PARTS:
        raise KeyFormatError(f"{key[:100]!r} names no event")
    return key


def _without_home(key: str) -> str:
    return key_of(*parts_of(key)[:-1], "")
