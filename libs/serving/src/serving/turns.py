"""Turns of the event loop: how long the longest lasted, as a metric."""

import asyncio
import time
from typing import Final

PERIOD_S: Final = 0.01
"""Time between two measurements; a turn is measured but for at most this much."""

RECENT_S: Final = 30.0
"""How long the longest turn counts as recent, at least; twice as long at most."""


class TurnMeter:
    """Measures by how much a timer is late, which is how long some turn of the loop lasted.

    Attributes:
        longest_s: The longest turn since the start, seconds.
        longest_cpu_s: Most processor time of the loop's own thread while a timer was late: the part
            of a turn that was its own work, and not due to a busy machine.
    """

    def __init__(self) -> None:
        self.longest_s = 0.0
        self.longest_cpu_s = 0.0
        self._recent = (0.0, 0.0)
        self._since_s = 0.0
        self._due_s = 0.0
        self._cpu_s = 0.0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def recent_s(self) -> float:
        """The longest turn of the last half minute or minute, seconds."""
        return max(self._recent)

    def start(self) -> None:
        """Begin to measure the running loop."""
        self._since_s = time.monotonic()
        self._look_later()

    def stop(self) -> None:
        """Stop measuring; idempotent."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look_later(self) -> None:
        self._due_s = time.monotonic() + PERIOD_S
        self._cpu_s = time.thread_time()
        self._timer = asyncio.get_running_loop().call_later(PERIOD_S, self._look)

    def _look(self) -> None:
        now_s = time.monotonic()
        late_s = now_s - self._due_s
        if late_s > PERIOD_S:
            spent_s = time.thread_time() - self._cpu_s
            self.longest_cpu_s = max(self.longest_cpu_s, min(spent_s, late_s))
        if now_s - self._since_s > RECENT_S:
            self._recent, self._since_s = (self._recent[1], 0.0), now_s
        self._recent = (self._recent[0], max(self._recent[1], late_s))
        self.longest_s = max(self.longest_s, late_s)
        self._look_later()
