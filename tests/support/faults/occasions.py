"""Faults to plant where clients do what they do now and then."""

from typing import Any

import fes.gateway.admission as entering_module
from fes.gateway.custody.lane import Lane, LaneKey
from fes.gateway.custody.transfer import CustodyTransfer
from fes.gateway.delivery import Delivery


def _route_at_once(
    self: Delivery, event: Any, names: Any, turn: Any, *, decided: bool = False
) -> bool:
    del decided
    return self._router.route(event, names, turn)


def _enter_at_once(self: CustodyTransfer, row: Any, turn: Any) -> None:
    key = LaneKey.of(row)
    lane = self._lanes.setdefault(key, Lane(row.destination))
    lane.add(row)
    self._pump(key, lane, turn)


def _publish_nowhere(self: Delivery, control: Any, patterns: Any, arrived: str, turn: Any) -> Any:
    del self, control, arrived, turn
    return patterns


def _accept_all(control: Any, settings: Any, arrived: str) -> None:
    del control, settings, arrived


OCCASIONS = {
    "best effort does not wait for its StartTime": (Delivery, "route", _route_at_once),
    "rows do not wait for their StartTime": (CustodyTransfer, "_enter", _enter_at_once),
    "publications to named services go nowhere": (Delivery, "publication", _publish_nowhere),
    "control events are accepted everywhere": (entering_module, "check_entry", _accept_all),
}
