"""A bus's own clock: for how long something lasts, whatever becomes of the wall clock."""

from collections.abc import Callable


class OwnClock:
    """Begins at the wall clock and goes forward as a steady clock does; nobody sets it.

    By the wall clock a bus would send no sign of life, and nothing again, for as long as that
    was set back, and would end what all others have here where it was set forward.

    Args:
        wall_us: Microseconds since 1970 UTC; may be set.
        steady_us: Microseconds by a clock that is never set.
    """

    def __init__(self, wall_us: Callable[[], int], steady_us: Callable[[], int]) -> None:
        self._wall_us = wall_us
        self._steady_us = steady_us
        self._begun_us = wall_us() - steady_us()

    def now_us(self) -> int:
        """Return the present."""
        return self._steady_us() + self._begun_us

    def ahead_us(self) -> int:
        """Return how far it is ahead of the wall clock, which was set meanwhile."""
        return self.now_us() - self._wall_us()
