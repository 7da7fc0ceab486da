"""Faults to plant where things end, wait or run out: leases, priorities, queues, filters, air.

A fault is told as in `support.faults.core`.
"""

from typing import Any

import fes.gateway.requests.registry as standing_module
import fes.gateway.requests.validation as requests_module
import fes.link.lanes as lanes_module
import msgspec
from fes.adapter.outbound.confirmations import Confirmations
from fes.filter import Filter
from fes.gateway.custody.lane import LaneKey
from fes.gateway.custody.transfer import CustodyTransfer
from fes.gateway.outputs import DropRow, PutRow
from fes.gateway.requests.row import Row
from fes.gateway.requests.table import Changes, RequestTable
from fes.gateway.router import Router
from fes.link.lanes import Lanes, PriorityQueue
from support.simulation.timeline import SECOND

_expire = RequestTable.expire
_is_known = RequestTable._is_known
_take = CustodyTransfer.take
_given = CustodyTransfer.given
_send = CustodyTransfer._send
_put = Lanes.put
_append = PriorityQueue.append
_canonical = requests_module.canonical_filter
_failed = Confirmations.failed


def _nothing(*_: object, **__: object) -> None:
    return None


def _no_reason(*_: object, **__: object) -> str:
    return ""


def _true(*_: object, **__: object) -> bool:
    return True


def _expire_withdrawals(self: RequestTable, own_us: int, spare: int = 0) -> Changes:
    leased = [row for row in self.rows() if row.expires_us]
    new, gone = _expire(self, own_us, spare)
    again = [row for row in leased if row in gone]
    self.take(again, 0)
    return Changes(new, tuple(row for row in gone if row not in again))


def _expire_early(self: RequestTable, own_us: int, spare: int = 0) -> Changes:
    return _expire(self, own_us + 3 * SECOND, spare)


def _renewals_known(self: RequestTable, row: Row) -> bool:
    known = self._rows.get(row.key, {}).get(row.pattern)
    renewed = known is not None and not known.withdrawn and bool(row.expires_us)
    return _is_known(self, row) or renewed


def _journal_without_leases(changes: Any, turn: Any, *, soon: bool = True) -> None:
    del soon
    turn.mutations.extend(DropRow(row.name) for row in changes.gone)
    turn.mutations.extend(
        PutRow(
            row.name,
            msgspec.msgpack.encode(msgspec.structs.replace(row, expires_us=0, until_us=0)),
        )
        for row in changes.new
    )


def _send_expired(self: CustodyTransfer, row: Any, lane: Any, way: Any, turn: Any) -> None:
    event = msgspec.structs.replace(row.event, expires_us=0)
    _send(self, msgspec.structs.replace(row, event=event), lane, way, turn)


def _least_urgent_first(row: Any) -> LaneKey:
    return LaneKey(row.event.priority, row.event.stamp.origin, row.destination)


def _append_as_if_equal(self: PriorityQueue[Any], item: Any, _: int = 0) -> None:
    _append(self, item)


def _put_unseen(self: Lanes, message: Any) -> bool:
    _put(self, message)
    return True


def _put_uncounted(self: Lanes, message: Any) -> bool:
    before = self.dropped
    taken = _put(self, message)
    self.dropped = before
    return taken


def _displace_untold(self: Lanes, message: Any) -> bool:
    tell, self.on_displaced = self.on_displaced, _nothing
    try:
        return _put(self, message)
    finally:
        self.on_displaced = tell


def _hold_all(
    self: CustodyTransfer,
    event: Any,
    destination: str,
    gift: Any,
    turn: Any,
    *,
    decided: bool = False,
) -> Any:
    del decided
    row = self._custody.take(event, destination, gift, turn)
    self._enter(row, turn)
    return row


def _take_and_answer(self: CustodyTransfer, *given: Any, **how: Any) -> bool:
    _take(self, *given, **how)
    return True


def _given_and_answer(self: CustodyTransfer, *given: Any) -> bool:
    _given(self, *given)
    return True


def _only_persistent_answer(self: CustodyTransfer, way: Any, destination: str) -> bool:
    del destination
    return way.service in self._persistent


def _unknown_matches(self: Filter, event: Any) -> bool:
    return self.test(event) is not False


def _begins_alike(text: str) -> str:
    return _canonical(text)[:9]


def _fail_for_good(self: Confirmations, order: Any, error: str, *, retryable: bool) -> None:
    del retryable
    _failed(self, order, error, retryable=False)


BOUNDS: dict[str, tuple[Any, str, Any]] = {
    # Leases
    "leases never end": (RequestTable, "expire", _expire_withdrawals),
    "leases end early": (RequestTable, "expire", _expire_early),
    "renewals change nothing": (RequestTable, "_is_known", _renewals_known),
    "ends of leases are not written down": (standing_module, "_journal", _journal_without_leases),
    # Expiry
    "expired events go on": (Router, "_worthless", _no_reason),
    "rows never expire": (CustodyTransfer, "_send", _send_expired),
    # Priorities
    "the least urgent rows go first": (LaneKey, "of", staticmethod(_least_urgent_first)),
    "urgent events wait behind others": (PriorityQueue, "append", _append_as_if_equal),
    # Queues
    "what is dropped is told to be sent": (Lanes, "put", _put_unseen),
    "what is dropped is not counted": (Lanes, "put", _put_uncounted),
    "what is displaced is not told": (Lanes, "put", _displace_untold),
    "requests wait and are dropped with events": (lanes_module, "is_event", _true),
    "custody has no bound": (CustodyTransfer, "_hold", _hold_all),
    "full custody answers its source": (CustodyTransfer, "take", _take_and_answer),
    "what is not taken is acknowledged": (CustodyTransfer, "given", _given_and_answer),
    "what failed for a time is given up": (Confirmations, "failed", _fail_for_good),
    # Filters
    "what is unknown is delivered": (Filter, "matches", _unknown_matches),
    "filters that begin alike are one": (requests_module, "canonical_filter", _begins_alike),
    # The air
    "custody ends on the air": (CustodyTransfer, "_answers", _only_persistent_answer),
}
