"""Echoes: frames of this process that came back from the bus, and whose they were."""

from collections import deque
from typing import Final

from eventservices.cosmic.frame import Frame

MOST: Final = 4096
"""Most frames whose echo is waited for; the oldest is abandoned."""


class Echoes:
    """Distinguishes frames that were sent here from those of others; the bus keeps their order.

    Attributes:
        lost: Frames that did not come back before a later one did.
    """

    def __init__(self) -> None:
        self.lost = 0
        self._expected: deque[tuple[int, bytes, bool, int]] = deque()

    def expect(self, frame: Frame, sender: int) -> None:
        """Note a frame that was sent."""
        if len(self._expected) >= MOST:
            self._expected.popleft()
            self.lost += 1
        self._expected.append((frame.can_id, frame.data, frame.extended, sender))

    def take(self, frame: Frame) -> int | None:
        """Return the sender of a frame that was sent here; None where others sent it."""
        wanted = (frame.can_id, frame.data, frame.extended)
        for number, expected in enumerate(self._expected):
            if expected[:3] == wanted:
                for _ in range(number):
                    self._expected.popleft()
                self.lost += number
                self._expected.popleft()
                return expected[3]
        return None
