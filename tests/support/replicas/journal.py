"""The journal that the replicas of a town share, and what may be committed to it."""

from collections.abc import Callable, Sequence

import msgspec
from fes.errors import StoreError
from fes.gateway.custody.store import CustodyRow
from fes.gateway.replication import INBOX, ROSTER, is_request
from fes.gateway.requests.row import Row
from fes_gateway.replicas.membership import VIEW, View
from fes_gateway.store import Entry, MemoryJournal
from fes_gateway.store.memory import MemoryPlace

LEADERS = ("row\x1f", "mark\x1f", ROSTER, "contact")
"""What the keys begin with that the leader alone changes, beside requests."""

_views = msgspec.msgpack.Decoder(View)
_rows = msgspec.msgpack.Decoder(CustodyRow)
_requests = msgspec.msgpack.Decoder(Row)

Standing = tuple[str, str, str, str]
"""A request that stands: source, requester, canonical filter, pattern."""


class Shared:
    """What all replicas append to, with everything judged that is appended.

    Attributes:
        view: The newest view; None before the first.
        broken: Promises that an append broke, in words.
        forwarded requests: Forwarded requests that wait for the leader.
        takeovers: How often the lead changed hands.
        standing: Requests that stand, by key: source, requester, canonical filter, pattern.
    """

    def __init__(self, note: Callable[[str], None], changed: Callable[[], None]) -> None:
        self.changed = changed
        self.place = MemoryPlace()
        self.view: View | None = None
        self.broken: list[str] = []
        self.forwarded: dict[str, None] = {}
        self.taken = 0
        self.takeovers = 0
        self.standing: dict[str, Standing] = {}
        self.watchers: dict[str, Callable[[], None]] = {}
        self.numbers: dict[int, str] = {}
        self._highest = 0
        self._ever: set[str] = set()
        self._note = note

    def appended(self, replica: str, batch: Sequence[Entry]) -> None:
        """Judge what a replica appended."""
        leader = "" if self.view is None else self.view.leader
        for key, value in batch:
            if (is_request(key) or key.startswith(LEADERS)) and replica != leader:
                self.broken.append(f"{replica} committed {key!r} while {leader or 'nobody'} leads")
            if is_request(key):
                self._request(key, value)
            elif key == VIEW and value is not None:
                self._viewed(replica, _views.decode(value))
            elif key.startswith(INBOX):
                self._forward(replica, leader, key, gone=value is None)
            elif key.startswith("row\x1f") and value is not None:
                self._row(replica, key, _rows.decode(value))

    def _viewed(self, replica: str, view: View) -> None:
        before = self.view
        if before is not None and view.number != before.number + 1:
            self.broken.append(f"{replica} made view {view.number} of view {before.number}")
        if before is None or before.leader != view.leader:
            self.takeovers += 1
        shrunk = before is not None and len(before.members) > len(view.members)
        if before is not None and (shrunk or before.leader != view.leader):
            self.changed()
        self.view = view
        self._note(f"view {view.number} by {replica}: {view.leader} leads {view.members}")

    def _forward(self, replica: str, leader: str, key: str, *, gone: bool) -> None:
        self._note(f"forwarded request {key!r} {'taken' if gone else 'left'} by {replica}")
        if not gone:
            if key in self._ever:
                self.broken.append(f"{replica} left forwarded request {key!r} twice")
            self._ever.add(key)
            self.forwarded[key] = None
        elif replica != leader:
            self.broken.append(f"{replica} took forwarded request {key!r} while {leader} leads")
        elif key not in self.forwarded:
            self.broken.append(f"{replica} took forwarded request {key!r} twice")
        else:
            del self.forwarded[key]
            self.taken += 1

    def _request(self, key: str, value: bytes | None) -> None:
        row = None if value is None else _requests.decode(value)
        if row is None or row.withdrawn:
            self.standing.pop(key, None)
        else:
            self.standing[key] = row.source, row.requester, row.what, row.pattern

    def _row(self, replica: str, key: str, row: CustodyRow) -> None:
        known = self.numbers.get(row.number)
        self.numbers[row.number] = key
        if known is not None and known != key:
            self.broken.append(f"{replica} gave number {row.number} to {key!r}, it was {known!r}'s")
        elif known is None and row.number < self._highest:
            self.broken.append(f"{replica} gave {row.number}, less than {self._highest} before")
        self._highest = max(self._highest, row.number)


class SharedJournal(MemoryJournal):
    """One replica's way to the shared journal.

    Args:
        shared: The journal.
        replica: Whose way it is.
        ring: Called after each append: all who watch are to be told soon.

    Attributes:
        fails: Whether it cannot be written now.
        doubtful: Whether what it cannot tell to be written is written nevertheless.
    """

    def __init__(self, shared: Shared, replica: str, ring: Callable[[], None]) -> None:
        super().__init__(shared.place)
        self.fails = False
        self.doubtful = False
        self._shared = shared
        self._replica = replica
        self._ring = ring
        self._doubt: tuple[tuple[Entry, ...], int, int] | None = None

    def append(self, batch: Sequence[Entry], expected_sequence: int) -> int:
        """Append a batch; see `Journal`."""
        doubt, self._doubt = self._doubt, None
        if doubt is not None and doubt[:2] == (tuple(batch), expected_sequence):
            if self.fails:
                self._doubt = doubt
                raise StoreError("the journal does not answer")
            return doubt[2]
        if self.fails and not self.doubtful:
            raise StoreError("the journal does not answer")
        sequence = super().append(batch, expected_sequence)
        self._shared.appended(self._replica, batch)
        self._ring()
        if self.fails:
            self._doubt = tuple(batch), expected_sequence, sequence
            raise StoreError("the journal did not answer")
        return sequence

    def watch(self, changed: Callable[[], None]) -> None:
        """Have a function called soon after anybody has appended; see `Journal`."""
        self._shared.watchers[self._replica] = changed

    def close(self) -> None:
        """Call nobody any more."""
        self._shared.watchers.pop(self._replica, None)
        super().close()
