"""The gateway's own clock: how long something lasts, over restarts too.

It begins at the wall clock, goes forward as the steady clock does, and never goes back: setting the
wall clock changes nothing. While no process runs it advances as the wall clock does, unless that
was set back. So moments on it are kept in the journal unchanged. It is never sent to another
gateway.
"""

from fes.gateway.settings import Instant

CLOCK = "contact\x1fclock"
"""Key, in the journal, of the last noted value of the own clock."""

NOTES = 8
"""How often in a horizon the own clock is noted."""


class OwnClock:
    """Reads the gateway's own time.

    Attributes:
        now_us: The time as it was read last.
        noted_us: The time that was noted in the journal last; -1 where none was.
        behind_us: How far the wall clock was behind the noted time when this clock began: above 0
            it was set back, and it is unknown for how long no process ran.
    """

    def __init__(self) -> None:
        self.now_us = 0
        self.noted_us = -1
        self.behind_us = 0
        self._ahead_us: int | None = None

    def restore(self, noted: bytes | None) -> None:
        """Restore what the journal kept: the time never falls behind it."""
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
        """Return the value that the journal is to keep; None where it is not due."""
        if self.noted_us >= 0 and self.now_us - self.noted_us < every_us:
            return None
        self.noted_us = self.now_us
        return str(self.now_us).encode()
