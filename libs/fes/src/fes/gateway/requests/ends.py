"""When rows of the request table end: a heap of moments, so that a tick costs what ends.

Source:
    design, section 4; ADR 14, 15.
"""

from collections.abc import Mapping
from heapq import heapify, heappop, heappush

from fes.distribution import is_pattern
from fes.gateway.requests.row import Key, Row

SPARE = 64
"""Moments beyond twice the number of rows above which those of deleted rows are removed."""


class Ends:
    """Keeps when each row ends, and which withdrawals are kept past their time for a wildcard.

    Args:
        by_name: The table's rows, up to date at each call.
    """

    def __init__(self, by_name: Mapping[str, Row]) -> None:
        self._by_name = by_name
        self._due: list[tuple[int, str]] = []
        self._carving: dict[Key, dict[str, None]] = {}

    def __len__(self) -> int:
        """Return how many moments are kept."""
        return len(self._due)

    def put(self, row: Row) -> None:
        """Add the end of a row; a row may be added again."""
        self._carving.get(row.key, {}).pop(row.name, None)
        if row.until_us:
            self.again(row)
            self._tidy()

    def again(self, row: Row) -> None:
        """Add the end of a row again that had ended and was kept nevertheless."""
        heappush(self._due, (row.until_us, row.name))

    def carve(self, row: Row) -> None:
        """Keep a withdrawal past its time, for a wildcard of its key."""
        self._carving.setdefault(row.key, {})[row.name] = None

    def look_again(self, key: Key, pattern: str) -> None:
        """Add again the ends of withdrawals that were kept for a wildcard: it may be gone now."""
        if not is_pattern(pattern):
            return
        for name in self._carving.pop(key, ()):
            heappush(self._due, (0, name))

    def take(self, own_us: int) -> dict[str, Row]:
        """Remove the ends that have passed; return their rows by name."""
        ended: dict[str, Row] = {}
        while self._due and self._due[0][0] <= own_us:
            _, name = heappop(self._due)
            row = self._by_name.get(name)
            if row is not None and 0 < row.until_us <= own_us:
                ended[name] = row  # else it was deleted since, or renewed and has another end
        return ended

    def _tidy(self) -> None:
        """Remove the moments of deleted rows once they prevail: each renewal leaves one."""
        if len(self._due) <= SPARE + 2 * len(self._by_name):
            return
        kept = {name for names in self._carving.values() for name in names}
        self._due = [
            (row.until_us, name)
            for name, row in self._by_name.items()
            if row.until_us and name not in kept
        ]
        heapify(self._due)
