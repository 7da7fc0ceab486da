"""Counts the events that did not come, by the numbers of those that did."""

from collections import OrderedDict
from typing import Final, NamedTuple

from eventservices.suppress import JUMP, Numbered

WINDOW: Final = 1024
"""How far behind the newest an event of the same origin may come and be counted as come."""

MOST_ORIGINS: Final = 10_000
"""Origins that are remembered; the one unused longest is forgotten first, what it lacks is not."""


class Seen(NamedTuple):
    """What came of one origin.

    Attributes:
        origin, epoch: The origin.
        highest: Highest sequence that came.
        lacking: Sequences of the last `WINDOW` that did not come, ascending.
    """

    origin: str
    epoch: int
    highest: int
    lacking: tuple[int, ...] = ()


class Missing:
    """Counts the events that are missing between those that came; in any order, within bounds.

    An origin's events are counted from the first that came, and again from one whose sequence is
    `JUMP` or more from the newest. It must publish all of them where they are counted: a filter in
    between would look like a loss.

    Attributes:
        total: Events that are missing.
    """

    def __init__(self) -> None:
        self.total = 0
        self._origins: OrderedDict[tuple[str, int], tuple[int, set[int]]] = OrderedDict()

    def came(self, stamp: Numbered) -> None:
        """Note that an event came; idempotent."""
        key, number = (stamp.origin, stamp.epoch), stamp.sequence
        known = self._origins.get(key)
        if known is None or abs(number - known[0]) >= JUMP:
            self._put(key, number, set())
            return
        highest, lacking = known
        if number == highest + 1 and not lacking:
            self._put(key, number, lacking)
        elif number > highest:
            self.total += number - highest - 1
            lacking.update(range(max(highest + 1, number - WINDOW), number))
            lacking = {each for each in lacking if each >= number - WINDOW}
            self._put(key, number, lacking)
        elif number in lacking:
            self.total -= 1
            lacking.discard(number)

    def of(self, stamp: Numbered) -> Seen:
        """Return what came of an event's origin, to `restore` it later."""
        highest, lacking = self._origins[stamp.origin, stamp.epoch]
        return Seen(stamp.origin, stamp.epoch, highest, tuple(sorted(lacking)))

    def every(self) -> list[Seen]:
        """Return what came of every origin, the one unused longest first."""
        return [
            Seen(*key, highest, tuple(sorted(lacking)))
            for key, (highest, lacking) in self._origins.items()
        ]

    def restore(self, seen: Seen, total: int) -> None:
        """Go on from what came before.

        Args:
            seen: Of one origin.
            total: Events that were missing by then, of all origins.
        """
        self._put((seen.origin, seen.epoch), seen.highest, set(seen.lacking))
        self.total = total

    def _put(self, key: tuple[str, int], highest: int, lacking: set[int]) -> None:
        self._origins[key] = (highest, lacking)
        self._origins.move_to_end(key)
        if len(self._origins) > MOST_ORIGINS:
            self._origins.popitem(last=False)
