"""What a request table would grow by if rows were accepted."""

from collections.abc import Callable, Iterable
from typing import Final

from fes.distribution import is_pattern
from fes.gateway.requests.held import Rows
from fes.gateway.requests.row import Key, Row, is_newer, weight_of_request

MAX_WILD: Final = 32
"""Most patterns with wildcards of one key; a row above it is refused."""


class Growth:
    """States whether there is room.

    Args:
        wild: The table's rows whose pattern has wildcards, as they are at each call.
        is_known: States whether as new a row is known.
        covered_by: Yields the rows whose places a row may take.
    """

    def __init__(
        self,
        wild: Rows,
        is_known: Callable[[Row], bool],
        covered_by: Callable[[Row], Iterable[Row]],
    ) -> None:
        self._wild = wild
        self._is_known = is_known
        self._covered_by = covered_by

    def bytes(self, rows: Iterable[Row]) -> int:
        """Return how many bytes more the table accounts for once some rows are accepted."""
        new, gone = self._exchanged(rows)
        return sum(map(weight_of_request, new)) - sum(map(weight_of_request, gone))

    def rows(self, rows: Iterable[Row]) -> int:
        """Return how many rows more there are once some are accepted; renewals cost nothing."""
        new, gone = self._exchanged(rows)
        return len(new) - len(gone)

    def has_room(self, rows: Iterable[Row]) -> bool:
        """Return whether no key would have more patterns with wildcards than it may."""
        fresh: dict[Key, dict[str, None]] = {}
        for row in rows:
            if is_pattern(row.pattern) and row.pattern not in self._wild.get(row.key, ()):
                fresh.setdefault(row.key, {})[row.pattern] = None
        return all(
            len(patterns) + len(self._wild.get(key, ())) <= MAX_WILD
            for key, patterns in fresh.items()
        )

    def _exchanged(self, rows: Iterable[Row]) -> tuple[list[Row], list[Row]]:
        """Return the rows that would be new, and those whose places they would take."""
        new: dict[tuple[Key, str], Row] = {}
        gone: dict[tuple[Key, str], Row] = {}
        for row in rows:
            if not self._is_known(row):
                new[row.key, row.pattern] = row
                gone |= {
                    (row.key, other.pattern): other
                    for other in self._covered_by(row)
                    if is_newer(row, other)
                }
        return list(new.values()), list(gone.values())
