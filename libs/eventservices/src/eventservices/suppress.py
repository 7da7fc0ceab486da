"""Suppression of repeated events, as native clients do it: each identity is delivered once."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Protocol


class Numbered(Protocol):
    """Has a number among the events of its origin, as every stamp does."""

    @property
    def origin(self) -> str:
        """Names the publisher."""

    @property
    def epoch(self) -> int:
        """Grows whenever the publisher's counter was lost."""

    @property
    def sequence(self) -> int:
        """Counts the publisher's events."""


class Identified(Numbered, Protocol):
    """Has an identity, as every stamp does."""

    @property
    def home(self) -> str:
        """Names the event service that the identity is unique in."""


JUMP = 1 << 32
"""A sequence that is further from all known of its origin than this has a window of its own.

So one event with an absurd number does not mute its origin: the others go on in their window.
"""

WINDOWS = 4
"""Most windows of one origin; the one unused longest is forgotten first."""


@dataclass(slots=True)
class _Window:
    """Sequences that were seen: those of an unbroken run up to the highest, and some below it.

    Nearly every event is the next of its origin: it makes the run longer, and touches no bits.
    """

    highest: int
    run: int = 1
    below: int = 0  # bit n: sequence `highest - run - n` was seen

    def repeated(self, sequence: int, size: int) -> bool:
        """Return whether a sequence was seen or is `size` or more below the highest; note it."""
        ahead = sequence - self.highest
        if ahead == 1:
            self.highest, self.run = sequence, self.run + 1
            return False
        if ahead > 1:
            mask = (1 << size) - 1
            run = min(self.run, size)
            seen = (self.below << run) | ((1 << run) - 1)
            self.below = (seen << (ahead - 1)) & mask if ahead <= size else 0
            self.highest, self.run = sequence, 1
            return False
        if -ahead < self.run or -ahead >= size:
            return True
        bit = 1 << (-ahead - self.run)
        known = bool(self.below & bit)
        self.below |= bit
        return known


class Suppressor:
    """Remembers which events a client received, within bounds.

    Per (origin, epoch, home) it keeps the highest sequence and a window below it. A sequence that
    fell out of the window counts as a repetition: an event that late is never delivered as new.
    A sequence that lies `JUMP` or more from every window of its origin begins another window.

    Args:
        window: Sequence numbers kept for each origin.
        origins: Origins kept; the one unused longest is forgotten first.
    """

    def __init__(self, window: int = 4096, origins: int = 10_000) -> None:
        self._window = window
        self._origins = origins
        self._table: OrderedDict[tuple[str, int, str], list[_Window]] = OrderedDict()
        self.suppressed = 0
        self.forgotten = 0

    def repeated(self, stamp: Identified) -> bool:
        """Return whether an event was seen before, and remember it."""
        key = (stamp.origin, stamp.epoch, stamp.home)
        windows = self._table.get(key)
        if windows is None:
            self._table[key] = [_Window(stamp.sequence)]
            if len(self._table) > self._origins:
                self._table.popitem(last=False)
                self.forgotten += 1
            return False
        self._table.move_to_end(key)
        window = windows[-1]
        if abs(stamp.sequence - window.highest) >= JUMP:
            found = _window_at(windows, stamp.sequence)
            if found is None:
                return False
            window = found
        repeated = window.repeated(stamp.sequence, self._window)
        self.suppressed += repeated
        return repeated


def _window_at(windows: list[_Window], sequence: int) -> _Window | None:
    """Return the window that a sequence belongs to, as the newest used; None where it began one."""
    for index, window in enumerate(windows):
        if abs(sequence - window.highest) < JUMP:
            windows.append(windows.pop(index))
            return window
    windows.append(_Window(sequence))
    if len(windows) > WINDOWS:
        del windows[0]
    return None
