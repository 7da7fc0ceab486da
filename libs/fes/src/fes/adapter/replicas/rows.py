"""Which replica is notified of an event in custody that it ordered to be published."""

from collections import OrderedDict
from typing import Final

from fes.adapter.replicas.desired import ALONE

ROWS: Final = 25_000
"""Most rows of which the replica is remembered: more than an adapter keeps waiting."""


class Rows:
    """Remembers who ordered a row last; after a takeover that is another replica."""

    def __init__(self) -> None:
        self._rows: OrderedDict[int, str] = OrderedDict()

    def ordered(self, row: int, replica: str) -> None:
        """Note that a replica ordered a row to be published."""
        self._rows[row] = replica
        self._rows.move_to_end(row)
        if len(self._rows) > ROWS:
            self._rows.popitem(last=False)

    def confirmed(self, row: int) -> str:
        """Return who ordered a row, and forget it; `ALONE` where that is not known."""
        return self._rows.pop(row, ALONE)
