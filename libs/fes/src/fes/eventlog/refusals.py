"""How many refusals are logged one by one: who sends bad input must not fill the log."""

from typing import Final

from fes.eventlog.schema import Decision

MOST: Final = 1000
"""Most of a kind that a gateway, or an adapter, logs in a second."""

_SECOND_US: Final = 1_000_000


class Refusals:
    """Admits so many refusals, or other decisions without effect, to the event log a second.

    It counts the others.
    """

    def __init__(self) -> None:
        self._second = 0
        self._refused = 0
        self._skipped = 0

    def admits(self, now_us: int) -> bool:
        """Return whether one more is logged; it is counted where not.

        Args:
            now_us: The wall clock, microseconds since 1970 UTC.
        """
        second = now_us // _SECOND_US
        if second != self._second:
            self._second, self._refused = second, 0
        self._refused += 1
        admitted = self._refused <= MOST
        self._skipped += not admitted
        return admitted

    def skipped(self, now_us: int) -> int:
        """Return how many were not logged before this second; each is returned once."""
        if not self._skipped or now_us // _SECOND_US == self._second:
            return 0
        skipped, self._skipped = self._skipped, 0
        return skipped


def reason_of(skipped: int, decision: Decision = Decision.REFUSED) -> str:
    """Return the reason of the one decision that is logged for those that were not."""
    return f"{skipped} more were {decision} and not logged one by one"
