"""Marks: what was sent to a destination already, best effort.

Where native clients suppress a repeated identity, marks may be forgotten in a restart. Elsewhere a
sequence number is reserved in the journal before the event is sent: ahead by no more than the
origin sent in the last second, so that a restart costs no more than that.

Source:
    design, section 6, Delivery.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from eventservices.suppress import Suppressor

from fes.gateway.outputs import DropRow, PutRow
from fes.gateway.replicas import RESERVE
from fes.gateway.settings import GatewaySettings
from fes.gateway.turn import Turn
from fes.model import Stamp

_SECOND_US = 1_000_000


@dataclass(slots=True)
class _Reserved:
    """Numbers that one origin may have used at one destination.

    Attributes:
        floor: Those up to it were reserved before a restart: none of them is sent any more.
        upto: Those up to it are reserved.
        second: Of the federation, in which `count` events were sent.
        count: Events in that second.
        before: Events in the second before it.
    """

    floor: int
    upto: int
    second: int = 0
    count: int = 0
    before: int = 0

    def ahead(self, now_us: int) -> int:
        """Count an event; return how many more may come before the next is reserved."""
        second = now_us // _SECOND_US
        if second != self.second:
            self.before = self.count if second == self.second + 1 else 0
            self.second, self.count = second, 0
        self.count += 1
        return max(self.before, self.count - 1)


class Marks:
    """Remembers what was sent.

    Args:
        settings: Of the gateway.
        repeating: Event services whose native clients do not suppress a repeated identity.
    """

    def __init__(self, settings: GatewaySettings, repeating: Mapping[str, None]) -> None:
        self._settings = settings
        self._repeating = repeating
        self._windows: dict[str, Suppressor] = {}
        self._reserved: OrderedDict[str, _Reserved] = OrderedDict()

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Take back what was reserved; what this gateway reserved itself it goes on using."""
        for key, value in state.items():
            if key.startswith(RESERVE) and key not in self._reserved:
                self._reserved[key] = _Reserved(int(value), int(value))

    def reserved_elsewhere(self, key: str, value: bytes | None) -> None:
        """Note what another replica reserved, or forgot: none of it is sent any more."""
        if value is None:
            self._reserved.pop(key, None)
            return
        upto, known = int(value), self._reserved.setdefault(key, _Reserved(0, 0))
        if upto == known.upto:
            return  # it is this replica's own, read with a whole state
        known.floor, known.upto = max(known.floor, upto), max(known.upto, upto)
        if len(self._reserved) > self._settings.origins:
            self._reserved.popitem(last=False)

    def repeated(
        self, stamp: Stamp, destination: str, turn: Turn, *, persistent: bool = False
    ) -> bool:
        """Tell whether an event was sent to a destination before, and remember it.

        Args:
            stamp: Of the event.
            destination: Event service identifier.
            turn: Collects what comes of it.
            persistent: Whether the event is. Of several replicas, one sends the persistent events
                of an origin and another may send the others: each reserves numbers of its own.
        """
        marks = self._windows.get(destination)
        if marks is None:
            marks = Suppressor(self._settings.window, self._settings.origins)
            self._windows[destination] = marks
        if marks.repeated(stamp):
            return True
        if destination not in self._repeating:
            return False
        key = f"{RESERVE}{destination}\x1f{stamp.origin}\x1f{stamp.epoch}"
        return self._was_reserved(stamp, f"{key}\x1fp" if persistent else key, turn)

    def _was_reserved(self, stamp: Stamp, key: str, turn: Turn) -> bool:
        known = self._reserved.get(key)
        if known is None:
            known = self._reserved[key] = _Reserved(0, 0)
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
