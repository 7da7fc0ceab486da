"""Suppression of repeated events, as native clients do it: each identity is delivered once."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Protocol


class Identified(Protocol):
    """Has an identity, as every stamp does."""

    @property
    def origin(self) -> str:
        """Names the publisher."""

    @property
    def epoch(self) -> int:
        """Grows whenever the publisher's counter was lost."""

    @property
    def sequence(self) -> int:
        """Counts the publisher's events."""


@dataclass(slots=True)
class _Window:
    highest: int
    seen: int  # bit n: sequence `highest - n` was seen


class Suppressor:
    """Remembers which events a client was given, within bounds.

    Per (origin, epoch) it keeps the highest sequence and a window below it. A sequence that fell
    out of the window counts as a repetition: an event that late is never delivered as new.

    Args:
        window: Sequence numbers kept for each origin.
        origins: Origins kept; the one unused longest is forgotten first.
    """

    def __init__(self, window: int = 4096, origins: int = 10_000) -> None:
        self._window = window
        self._origins = origins
        self._mask = (1 << window) - 1
        self._table: OrderedDict[tuple[str, int], _Window] = OrderedDict()
        self.suppressed = 0
        self.forgotten = 0

    def repeated(self, stamp: Identified) -> bool:
        """Tell whether an event was seen before, and remember it."""
        key = (stamp.origin, stamp.epoch)
        window = self._table.get(key)
        if window is None:
            self._table[key] = _Window(stamp.sequence, 1)
            if len(self._table) > self._origins:
                self._table.popitem(last=False)
                self.forgotten += 1
            return False
        self._table.move_to_end(key)
        ahead = stamp.sequence - window.highest
        if ahead > 0:
            window.seen = ((window.seen << ahead) | 1) & self._mask if ahead < self._window else 1
            window.highest = stamp.sequence
            return False
        if -ahead >= self._window or window.seen & (1 << -ahead):
            self.suppressed += 1
            return True
        window.seen |= 1 << -ahead
        return False
