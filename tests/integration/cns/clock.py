"""A clock that a test sets."""

from dataclasses import dataclass

from eventservices.cns import time_t, utc_t

S = 1_000_000


@dataclass
class Clock:
    """Tells microseconds since 1970 UTC, as the test says."""

    now_us: int = 1_900_000_000_000_000

    def __call__(self) -> int:
        return self.now_us

    def pass_s(self, seconds: float) -> None:
        self.now_us += round(seconds * S)

    def at_s(self, seconds: float) -> dict[str, int]:
        """Return the moment in so many seconds as the header of an event says it."""
        return utc_t(self.now_us + round(seconds * S))


def ticks(seconds: float) -> int:
    return time_t(seconds)
