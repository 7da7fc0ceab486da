"""Lanes: rows of one origin and one priority for one destination go in order.

Several may be in transit at once. Each names the one before it that is not answered yet, and a
receiver accepts none without that one: so what is lost is sent again with all behind it.
"""

from collections import OrderedDict
from itertools import islice
from typing import NamedTuple

from fes.federation.topology import Hop
from fes.gateway.custody.store import CustodyRow

NO_HOP = Hop("")
"""The hop of a lane whose rows wait."""


class LaneKey(NamedTuple):
    """What makes rows go in order.

    Attributes:
        urgency: The negative priority, so that the smallest key goes first.
        origin: Of the events.
        destination: Event service identifier.
    """

    urgency: int
    origin: str
    destination: str

    @staticmethod
    def of(row: CustodyRow) -> "LaneKey":
        """Return the key of a row's lane."""
        return LaneKey(-row.event.priority, row.event.stamp.origin, row.destination)


class Lane:
    """The rows of one order, oldest first.

    Args:
        destination: Event service identifier.

    Attributes:
        hop: The hop to which the rows in transit were sent.
        sent_us: When a row was sent last, own clock.
        paused_us: Until when no row is sent, own clock, because one could not be published.
        tries: How often the rows were sent again without an answer.
    """

    def __init__(self, destination: str) -> None:
        self.destination = destination
        self.hop = NO_HOP
        self.sent_us = 0
        self.paused_us = 0
        self.tries = 0
        self._rows: OrderedDict[int, CustodyRow] = OrderedDict()
        self._sent: OrderedDict[int, int] = OrderedDict()  # place to number

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._rows)

    @property
    def waiting(self) -> int:
        """Rows in transit without an answer."""
        return len(self._sent)

    @property
    def last(self) -> int:
        """Number of the row that was sent last and is not answered; 0 where there is none."""
        return next(reversed(self._sent.values()), 0)

    def add(self, row: CustodyRow) -> None:
        """Add a row behind the others, or in the place that it had: then all are sent again."""
        if row.place in self._rows:
            self.rewind()
        self._rows[row.place] = row

    def remove(self, row: CustodyRow) -> None:
        """Remove a row that was answered."""
        self._rows.pop(row.place, None)
        self._sent.pop(row.place, None)
        self.tries = 0

    def next(self) -> CustodyRow | None:
        """Return the next row to send; None where all were sent."""
        return next(islice(self._rows.values(), len(self._sent), None), None)

    def sent(self, row: CustodyRow, now_us: int) -> None:
        """Note that a row was sent."""
        self._sent[row.place] = row.number
        self.sent_us = now_us

    def is_sent(self, row: CustodyRow) -> bool:
        """Return whether a row is in transit."""
        return row.place in self._sent

    def rewind(self) -> None:
        """Have all rows sent again, from the oldest."""
        self._sent.clear()
        self.paused_us = 0
