"""Versions of requests: what a client requests later is newer, whatever clocks read.

Source:
    ADR 14 and 47; rules T15 and T18.
"""

from collections.abc import Mapping
from typing import Final

import msgspec

from fes.control import ControlEvent
from fes.gateway.outputs import PutRow
from fes.gateway.requests.table import RequestTable
from fes.gateway.requests.validation import CLOCK_SKEW_US, COUNTS, key_of
from fes.gateway.turn import Turn
from fes.model import Stamp

FORGOTTEN: Final = "forgotten"
"""Key, in the journal, of the largest version of a deleted row, kept where clocks are behind it."""

BEHIND_US: Final = 60_000_000
"""How far a client's clock may be behind until it is considered wrong: a minute."""


class Versions:
    """Assigns versions to the requests that enter the federation at this gateway.

    Args:
        table: The request table; it knows the largest version that was deleted.
    """

    def __init__(self, table: RequestTable) -> None:
        self._table = table
        self._kept = 0

    def recall(self, state: Mapping[str, bytes]) -> None:
        """Restore the largest version that was deleted from the journal.

        Args:
            state: The journal's content.
        """
        self._kept = int(state.get(FORGOTTEN, b"0"))
        self._table.forgotten = max(self._table.forgotten, self._kept)

    def keep(self, turn: Turn) -> None:
        """Write the largest deleted version into the journal, where clocks are behind it."""
        forgotten = self._table.forgotten
        if forgotten > self._kept and forgotten > _now(turn):
            self._kept = forgotten
            turn.mutations.append(PutRow(FORGOTTEN, str(forgotten).encode()))

    def versioned(self, control: ControlEvent, arrived: str, turn: Turn) -> ControlEvent:
        """Return a request with a version; the length of its lease does not change.

        Args:
            control: As it was received; one that a gateway forwarded keeps its version.
            arrived: Event service that it was received at; "" where it came over the API.
            turn: Contains the clocks.
        """
        if control.path or (control.version and not arrived):
            return control
        made_us = control.version or (control.stamp.time_us if arrived else turn.now.wall_us)
        newest = self._table.newest(key_of(control))
        follows = newest is None or not arrived or _is_later(control.stamp, newest.request)
        version = made_us if arrived else _now(turn)
        if follows and COUNTS <= version < turn.own_us - BEHIND_US:
            version = turn.own_us  # other gateways may have a newer row than that clock produces
        if follows and version >= COUNTS:
            version = max(version, self._table.forgotten + 1)
        if follows and newest is not None:
            version = max(version, newest.version + 1)
        if version == control.version:
            return control
        expires_us = control.expires_us and control.expires_us - made_us + version
        return msgspec.structs.replace(control, version=version, expires_us=expires_us)


def _now(turn: Turn) -> int:
    """Return the version of a request made here: never smaller than before, unless far ahead."""
    ahead_us = turn.own_us - turn.now.wall_us
    return turn.now.wall_us if ahead_us > CLOCK_SKEW_US // 2 else turn.own_us


def _is_later(stamp: Stamp, than: Stamp) -> bool:
    """Return whether a client made a request after another one."""
    counts = (stamp.epoch, stamp.sequence) > (than.epoch, than.sequence)
    return stamp.origin == than.origin and counts
