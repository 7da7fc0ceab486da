"""By how much a request table would grow if rows were accepted."""

from collections.abc import Callable, Iterable
from typing import Final

from fes.distribution import is_pattern
from fes.gateway.requests.held import Rows
from fes.gateway.requests.row import Key, Row, is_newer, weight_of_request

MAX_WILD: Final = 32
"""Most patterns with wildcards of one key; a row above it is refused."""


class Growth:
    """Computes the growth that some rows would cause, and whether there is room for it.

    Args:
        wild: The table's rows whose pattern has wildcards, up to date at each call.
        is_known: Returns whether a row is known, or a newer one of its key and pattern.
        covered_by: Yields the rows that a row may replace.
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
        """Return by how many bytes the table would grow."""
        new, gone = self._exchanged(rows)
        return sum(map(weight_of_request, new)) - sum(map(weight_of_request, gone))

    def rows(self, rows: Iterable[Row]) -> int:
        """Return by how many rows the table would grow; renewals cost nothing."""
        new, gone = self._exchanged(rows)
        return len(new) - len(gone)

    def has_room(self, rows: Iterable[Row]) -> bool:
        """Return whether each key would have at most `MAX_WILD` patterns with wildcards."""
        fresh: dict[Key, dict[str, None]] = {}
        for row in rows:
            if is_pattern(row.pattern) and row.pattern not in self._wild.get(row.key, ()):
                fresh.setdefault(row.key, {})[row.pattern] = None
        return all(
            len(patterns) + len(self._wild.get(key, ())) <= MAX_WILD
            for key, patterns in fresh.items()
        )

    def _exchanged(self, rows: Iterable[Row]) -> tuple[list[Row], list[Row]]:
        """Return the rows that would be new, and those that they would replace."""
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
