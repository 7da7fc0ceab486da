"""How long to wait before connecting again: not at all the first time, then ever longer."""

import time
from collections.abc import Callable
from secrets import SystemRandom

UNIFORM = SystemRandom().uniform


class Backoff:
    """Returns pauses between attempts: decorrelated jitter, so that many clients do not coincide.

    A connection that is made and lost again at once counts as an attempt, too. After one that
    lasted, the next attempt is made without a pause.

    Args:
        least_s: Shortest pause but none.
        most_s: Longest pause.
        steady_s: How long after an attempt nothing must be lost for it to be forgotten.
        clock_s: Monotonic seconds.
        uniform: Draws a number between two.
    """

    def __init__(
        self,
        least_s: float,
        most_s: float,
        steady_s: float,
        clock_s: Callable[[], float] = time.monotonic,
        uniform: Callable[[float, float], float] = UNIFORM,
    ) -> None:
        self._least_s = least_s
        self._most_s = most_s
        self._steady_s = steady_s
        self._clock_s = clock_s
        self._uniform = uniform
        self._pause_s = 0.0
        self._attempt_s = float("-inf")

    def pause_s(self) -> float:
        """Return how long to wait before the attempt that is made now; seconds."""
        now_s = self._clock_s()
        if now_s - self._attempt_s > self._steady_s:
            self._pause_s = 0.0
        else:
            highest_s = 3 * max(self._pause_s, self._least_s)
            self._pause_s = min(self._most_s, self._uniform(self._least_s, highest_s))
        self._attempt_s = now_s + self._pause_s
        return self._pause_s
