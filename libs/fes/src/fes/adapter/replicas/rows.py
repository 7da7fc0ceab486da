"""Remembers to which replica the confirmation of a custody row goes."""

from collections import OrderedDict
from typing import Final

from fes.adapter.replicas.desired import ALONE

ROWS: Final = 25_000
"""Most rows whose replica is remembered: more than an adapter keeps waiting."""


class Rows:
    """Remembers which replica ordered a row last; after a takeover that is another one."""

    def __init__(self) -> None:
        self._rows: OrderedDict[int, str] = OrderedDict()

    def ordered(self, row: int, replica: str) -> None:
        """Note that a replica ordered a row to be published."""
        self._rows[row] = replica
        self._rows.move_to_end(row)
        if len(self._rows) > ROWS:
            self._rows.popitem(last=False)

    def confirmed(self, row: int) -> str:
        """Return the replica that ordered a row, and forget it; `ALONE` where that is not known."""
        return self._rows.pop(row, ALONE)
