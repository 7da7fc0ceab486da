"""Faults to plant where gateways are gone, new, or have clocks that are wrong.

A fault is told as in `support.faults.core`; `support.play.wandering` has to find it.
"""

from typing import Any

import fes.gateway.requests.registry as standing_module
import fes.gateway.requests.validation as requests_module
import fes.gateway.requests.versions as versions_module
import msgspec
from fes.gateway.own_clock import OwnClock
from fes.gateway.peers.absence import Touch
from fes.gateway.peers.table_sync import TableSync
from fes.gateway.requests.buckets import Buckets
from fes.gateway.requests.registry import RequestRegistry
from fes.gateway.requests.row import FOREVER, Row
from fes.gateway.requests.table import RequestTable
from fes.gateway.settings import Instant

_received = Touch.received
_replace = TableSync._replace
_rows_of = requests_module.rows_of
_expire = RequestTable.expire
_told = TableSync.told
_heard = Row.heard


def _nothing(*_: object, **__: object) -> None:
    return None


def _false(*_: object, **__: object) -> bool:
    return False


def _empty(*_: object, **__: object) -> list[Any]:
    return []


def _begin_only(self: Touch, own_us: int) -> None:
    if self.contact_us < 0:
        self.contact_us, self.new = own_us, True


def _away_only(self: Touch) -> bool:
    return self.away


def _back_at_once(self: Touch, own_us: int) -> bool:
    _received(self, own_us)
    return True


def _shared_all(self: Touch) -> int:
    del self
    return FOREVER


def _first_part_is_all(self: TableSync, table: Any, *more: Any) -> None:
    _replace(self, msgspec.structs.replace(table, number=0, count=1), *more)


def _aged_by_version(control: Any, patterns: Any, turn: Any, kept_us: int) -> tuple[Row, ...]:
    return tuple(
        msgspec.structs.replace(row, until_us=max(1, row.version + kept_us))
        if row.withdrawn
        else row
        for row in _rows_of(control, patterns, turn, kept_us)
    )


def _lease_by_wall(control: Any, turn: Any) -> int:
    left_us = control.expires_us - turn.now.wall_us
    return max(1, turn.own_us + left_us) if control.expires_us else 0


def _wall(self: OwnClock, now: Instant) -> int:
    self.now_us = now.wall_us
    return now.wall_us


def _expire_all(self: RequestTable, own_us: int, spare: int = 0) -> Any:
    del spare
    return _expire(self, own_us)


def _told_as_if_known(self: TableSync, table: Any, *more: Any) -> None:
    _told(self, msgspec.structs.replace(table, away=False), *more)


def _ages_anew(self: Row, own_us: int, horizon_us: int, since_us: int) -> Row:
    whole = self if not self.withdrawn else msgspec.structs.replace(self, until_us=horizon_us)
    return _heard(whole, own_us, horizon_us, since_us)


def _equal_buckets(self: Buckets[Any], count: int) -> tuple[int, ...]:
    return (0,) * count


def _sound(self: RequestRegistry, row: Row, arrived: str, turn: Any) -> bool:
    del self, row, arrived, turn
    return True


def _hears_no_end(self: Row, own_us: int, horizon_us: int, since_us: int) -> Row:
    heard = _heard(self, own_us, horizon_us, since_us)
    return heard if self.withdrawn else msgspec.structs.replace(heard, until_us=0)


ABSENCE: dict[str, tuple[Any, str, Any]] = {
    "nobody is away": (Touch, "pass_time", _begin_only),
    "new ones are believed": (Touch, "doubtful", property(_away_only)),
    "being away ends with the first signal": (Touch, "received", _back_at_once),
    "contact is not written down": (Touch, "keep", _empty),
    "own news are dropped": (Touch, "shared_us", property(_shared_all)),
    "a part of a table is taken for the whole": (TableSync, "_replace", _first_part_is_all),
    "who was away replaces nothing": (TableSync, "_replace", _nothing),
    "who was away is learnt from": (TableSync, "told", _told_as_if_known),
    "withdrawals are forgotten while away": (RequestTable, "expire", _expire_all),
    "withdrawals age by their clients' clocks": (standing_module, "rows_of", _aged_by_version),
    "what was forgotten was never newer": (RequestTable, "_forget", _nothing),
    "withdrawals begin anew wherever they are told": (Row, "heard", _ages_anew),
    "shorter leases leave nothing": (RequestTable, "_left", _nothing),
    "leases last by the wall clock": (requests_module, "_lease_ends_us", _lease_by_wall),
    "leases that are told have no end": (Row, "heard", _hears_no_end),
    "time passes by the wall clock": (OwnClock, "read", _wall),
    "versions alone are newer": (versions_module, "_is_later", _false),
    "buckets never differ": (Buckets, "digests", _equal_buckets),
    "rows are not checked": (RequestRegistry, "_is_sound", _sound),
}
