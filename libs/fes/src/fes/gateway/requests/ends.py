"""When rows of the request table end: a heap of moments, so that a tick costs what ends.

Source:
    design, section 4; ADR 14, 15.
"""

from collections.abc import Mapping
from heapq import heapify, heappop, heappush

from fes.distribution import is_pattern
from fes.gateway.requests.row import Key, Row

SPARE = 64
"""Moments of rows that went, beyond as many again as there are rows: then they are left out."""


class Ends:
    """Keeps when each row ends, and which withdrawals a wildcard keeps past their time.

    Args:
        by_name: The table's rows, as they are at each call.
    """

    def __init__(self, by_name: Mapping[str, Row]) -> None:
        self._by_name = by_name
        self._due: list[tuple[int, str]] = []
        self._carving: dict[Key, dict[str, None]] = {}

    def __len__(self) -> int:
        """Return how many moments are kept."""
        return len(self._due)

    def put(self, row: Row) -> None:
        """Accept a row that was kept, again too."""
        self._carving.get(row.key, {}).pop(row.name, None)
        if row.until_us:
            self.again(row)
            self._tidy()

    def again(self, row: Row) -> None:
        """Have a row end that had ended and was kept nevertheless."""
        heappush(self._due, (row.until_us, row.name))

    def carve(self, row: Row) -> None:
        """Keep a withdrawal past its time, for a wildcard of its key."""
        self._carving.setdefault(row.key, {})[row.name] = None

    def look_again(self, key: Key, pattern: str) -> None:
        """Have withdrawals end that a wildcard kept, which may be gone now."""
        if not is_pattern(pattern):
            return
        for name in self._carving.pop(key, ()):
            heappush(self._due, (0, name))

    def take(self, own_us: int) -> dict[str, Row]:
        """Remove the rows whose time is over, by name."""
        ended: dict[str, Row] = {}
        while self._due and self._due[0][0] <= own_us:
            _, name = heappop(self._due)
            row = self._by_name.get(name)
            if row is not None and 0 < row.until_us <= own_us:
                ended[name] = row  # else it went since, or was renewed and has another moment
        return ended

    def _tidy(self) -> None:
        """Leave out the moments of rows that went, where they are most: renewals leave one each."""
        if len(self._due) <= SPARE + 2 * len(self._by_name):
            return
        kept = {name for names in self._carving.values() for name in names}
        self._due = [
            (row.until_us, name)
            for name, row in self._by_name.items()
            if row.until_us and name not in kept
        ]
        heapify(self._due)
