"""The gateway's own clock: how long something lasts, over restarts too.

It begins at the wall clock, goes forward as the steady clock does, and never back: setting the wall
clock changes nothing. While no process runs it goes on as the wall clock does, unless that was set
back. So all that is measured by it is kept in the journal as it is. No other gateway is told it.
"""

from fes.gateway.settings import Instant

CLOCK = "contact\x1fclock"
"""Key, in the journal, of the own clock as it was noted last."""

NOTES = 8
"""How often in a horizon it is noted."""


class OwnClock:
    """Tells the own time.

    Attributes:
        now_us: As it was read last.
        noted_us: As it was noted in the journal last; -1 where it never was.
        behind_us: How far behind what was noted the wall clock was when this clock began: then it
            was set back, and nobody knows how long no process ran.
    """

    def __init__(self) -> None:
        self.now_us = 0
        self.noted_us = -1
        self.behind_us = 0
        self._ahead_us: int | None = None

    def restore(self, noted: bytes | None) -> None:
        """Restore what the journal kept: time never goes behind it."""
        if noted is not None:
            self.noted_us = max(self.noted_us, int(noted))
            self.now_us = max(self.now_us, self.noted_us)
            self._ahead_us = None

    def read(self, now: Instant) -> int:
        """Return the own time at a moment, microseconds."""
        if self._ahead_us is None:
            self.behind_us = max(0, self.now_us - now.wall_us)
            self._ahead_us = max(now.wall_us, self.now_us) - now.steady_us
        self.now_us = max(self.now_us, now.steady_us + self._ahead_us)
        return self.now_us

    def note(self, every_us: int) -> bytes | None:
        """Return what the journal is to keep, where it is time for that."""
        if self.noted_us >= 0 and self.now_us - self.noted_us < every_us:
            return None
        self.noted_us = self.now_us
        return str(self.now_us).encode()
