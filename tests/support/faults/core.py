"""Faults to plant in the core: each takes one of its rules away.

A fault is (where it is, its name there, what stands in its place). Where the place is a property,
what stands there is one too.
"""

from typing import Any

import fes.gateway.delivery as delivery_module
import fes.gateway.requests.registry as standing_module
import msgspec
from fes.adapter.outbound.confirmations import Confirmations
from fes.control.signal import Attendance
from fes.distribution import covers_pattern, matches
from fes.gateway.custody.lane import Lane
from fes.gateway.custody.store import Custody
from fes.gateway.custody.transfer import CustodyTransfer
from fes.gateway.delivery import Delivery
from fes.gateway.digest import digest_of
from fes.gateway.forwarding.announcements import Announcements
from fes.gateway.forwarding.dispatch import Dispatch
from fes.gateway.forwarding.sent_window import SentWindow, _Reserved
from fes.gateway.outputs import PutRow
from fes.gateway.peers.gossip import Gossip
from fes.gateway.peers.presence import Presence
from fes.gateway.peers.roster import Roster
from fes.gateway.peers.table_sync import TableSync
from fes.gateway.requests.desired import DesiredState
from fes.gateway.requests.held import Holding
from fes.gateway.requests.registry import RequestRegistry
from fes.gateway.requests.row import Key, Row
from fes.gateway.requests.table import Changes, RequestTable
from support.faults.bounds import BOUNDS
from support.faults.occasions import OCCASIONS
from support.faults.scopes import SCOPES

Fault = tuple[Any, str, Any]


def _nothing(*_: object, **__: object) -> None:
    return None


def _false(*_: object, **__: object) -> bool:
    return False


def _true(*_: object, **__: object) -> bool:
    return True


def _empty(*_: object, **__: object) -> tuple[()]:
    return ()


def _end_nothing(*_: object) -> Changes:
    return Changes((), ())


def _know_nothing(self: RequestTable, row: Row) -> bool:
    rows = self._rows.get(row.key, {})
    return any(
        other.version == row.version and covers_pattern(pattern, row.pattern)
        for pattern, other in rows.items()
    )


def _held_though_withdrawn(self: Holding, key: Key, service: str) -> Row | None:
    rows = self._rows.get(key, {}).values() if key.source != service else ()
    return next((row for row in rows if matches(row.pattern, service)), None)


def _held_at_its_source(self: Holding, key: Key, service: str) -> Row | None:
    rows = [row for row in self._rows.get(key, {}).values() if matches(row.pattern, service)]
    best = max(rows, key=lambda row: row.rank, default=None)
    return None if best is None or best.withdrawn else best


def _key_without_client(self: Row) -> Key:
    return Key(self.kind, self.source, "", self.what)


def _digest_of_names(self: Row) -> int:
    return digest_of(self.name)


def _sources_of_the_first(self: DesiredState, numbers: tuple[int, ...]) -> tuple[str, ...]:
    applied = self.get(numbers[0]) if numbers else None
    return applied.sources[:1] if applied else ()


def _stay_applied(self: DesiredState, key: Any) -> Any:
    return self._order(self._by_what[key])


def _answered_at_all(self: Custody, key: Any, turn: Any, *, given: bool) -> bool:
    del turn, given
    return key in self._marks


_take = Custody.take
_given = CustodyTransfer.given
_ahead = _Reserved.ahead
_heard = Delivery._heard
_complete = Custody.complete
_forward = Dispatch.forward
_take_new = CustodyTransfer.take


def _take_unwritten(self: Custody, *given: Any) -> Any:
    turn = given[-1]
    row = _take(self, *given)
    turn.mutations.pop()
    return row


def _complete_unmarked(self: Custody, row: Any, turn: Any, **how: Any) -> None:
    _complete(self, row, turn, **how)
    self._marks.pop(row.key)
    turn.mutations.pop()


def _given_in_any_order(
    self: CustodyTransfer, event: Any, destination: str, gift: Any, _: int, turn: Any
) -> bool:
    return _given(self, event, destination, gift, 0, turn)


def _take_repeated_unanswered(
    self: CustodyTransfer, event: Any, destination: str, turn: Any, *, decided: bool = False
) -> bool:
    held = self._custody.answered((event.id, destination, event.stamp.home), turn, given=False)
    return _take_new(self, event, destination, turn, decided=decided) and not held


def _block_ahead(self: _Reserved, now_us: int) -> int:
    return _ahead(self, now_us) + 64


def _heard_unanswered(self: Delivery, heard: Any, service: str, turn: Any) -> None:
    _heard(self, heard, service, turn)


def _forward_to_all(self: Dispatch, event: Any, hop: Any, *more: Any, **how: Any) -> None:
    _forward(self, event, hop._replace(gateway="nobody"), *more, **how)


def _newest_first(self: Lane) -> Any:
    return next((row for row in reversed(self._rows.values()) if not self.is_sent(row)), None)


def _learn_nothing_of_others(self: Presence, attendances: Any) -> list[Attendance]:
    del attendances
    return []


def _live_all(self: Roster) -> tuple[tuple[str, str], ...]:
    return self._topology.attachments


def _restore_nothing(self: Any, state: Any) -> None:
    del state


def _reserve_unwritten(self: SentWindow, stamp: Any, destination: str, turn: Any) -> bool:
    before = len(turn.mutations)
    repeated = _was_reserved(self, stamp, destination, turn)
    del turn.mutations[before:]
    return repeated


_was_reserved = SentWindow._was_reserved


def _home_forgotten(sources: tuple[str, ...], service: str, home: str) -> tuple[str, ...]:
    del home
    return tuple(name for name in sources if name != service)


def _journal_without_withdrawals(changes: Any, turn: Any, *, soon: bool = True) -> None:
    del soon
    turn.mutations.extend(
        PutRow(row.name, msgspec.msgpack.encode(row)) for row in changes.new if not row.withdrawn
    )


FAULTS: dict[str, Fault] = {
    # The request table
    "an older request overwrites a newer one": (RequestTable, "_is_known", _know_nothing),
    "withdrawn requests still hold": (Holding, "_holds", _held_though_withdrawn),
    "a request is applied at its source": (Holding, "_holds", _held_at_its_source),
    "rows never end": (RequestTable, "expire", _end_nothing),
    "a hole in a wildcard is forgotten": (RequestTable, "_carves", staticmethod(_false)),
    "one client withdraws for another": (Row, "key", property(_key_without_client)),
    "only the first source is served": (DesiredState, "sources", _sources_of_the_first),
    "a withdrawal is ordered as a request": (DesiredState, "_withdraw", _stay_applied),
    "requests are not written down": (standing_module, "_journal", _nothing),
    "withdrawals are not written down": (standing_module, "_journal", _journal_without_withdrawals),
    "requests stay where they came in": (RequestRegistry, "_pass_on", _nothing),
    "requests are not taken back at a start": (RequestRegistry, "restore", _restore_nothing),
    # Exchange and presence
    "tables are never compared": (TableSync, "compare", _nothing),
    "nobody who asks is told": (TableSync, "asked", _nothing),
    "digests do not tell versions": (Row, "digest", property(_digest_of_names)),
    "nobody is missed": (Presence, "_missing", _empty),
    "others are not believed": (Presence, "learn", _learn_nothing_of_others),
    "ways never change": (Presence, "review", _false),
    "all are thought to be there": (Roster, "live", _live_all),
    "no hello is said": (Gossip, "say_at", _nothing),
    # Events
    "an event is sent again": (SentWindow, "repeated", _false),
    "an event is not announced": (Announcements, "before", _nothing),
    "announcements never end": (Announcements, "expire", _nothing),
    "events stay where they were heard": (Dispatch, "forward", _nothing),
    "the wrong gateway is named": (Dispatch, "forward", _forward_to_all),
    "an event comes back to its home": (delivery_module, "elsewhere", _home_forgotten),
    "reserved numbers are not asked for": (SentWindow, "_was_reserved", _false),
    "reserved numbers are not written down": (SentWindow, "_was_reserved", _reserve_unwritten),
    "numbers are reserved in blocks": (_Reserved, "ahead", _block_ahead),
    # Custody
    "a row is not written down": (Custody, "take", _take_unwritten),
    "rows are not taken back at a start": (CustodyTransfer, "restore", _nothing),
    "custody ends when an event is sent": (CustodyTransfer, "_answers", _false),
    "what was answered for is forgotten": (Custody, "answered", _false),
    "custody never comes back": (Custody, "answered", _answered_at_all),
    "rows leave no mark": (Custody, "complete", _complete_unmarked),
    "marks never end": (Custody, "expire", _nothing),
    "rows are taken in any order": (CustodyTransfer, "given", _given_in_any_order),
    "an adapter publishes in any order": (Confirmations, "is_turn", _true),
    "new rows pass old ones": (Lane, "next", _newest_first),
    "nothing is sent again": (Lane, "rewind", _nothing),
    "an event heard twice is not answered for": (
        CustodyTransfer,
        "take",
        _take_repeated_unanswered,
    ),
    "services wait for an answer in vain": (Delivery, "heard", _heard_unanswered),
    "acknowledgements are not believed": (CustodyTransfer, "acknowledged", _nothing),
    **BOUNDS,
    **OCCASIONS,
    **SCOPES,
}
