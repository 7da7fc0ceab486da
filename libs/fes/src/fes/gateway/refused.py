"""What was refused comes first: nothing newer is taken before it comes again."""

from typing import Final

from fes.gateway.settings import Instant
from fes.link.messages import Heard

PATIENCE: Final = 16
"""Retry intervals that one refused is waited for; then it comes no more."""


class Refused:
    """Remembers of each event service which persistent event was refused first.

    The adapter delivers it again, and all behind it in their order. What it had handed over already
    is behind it, too.

    Args:
        retry_us: The retry interval, microseconds.
    """

    def __init__(self, retry_us: int) -> None:
        self._patience_us = PATIENCE * retry_us
        self._first: dict[str, tuple[tuple[str, int, int], int]] = {}

    def admits(self, heard: Heard, service: str, now: Instant) -> bool:
        """Tell whether an event may be taken now."""
        found = self._first.get(service)
        return found is None or found[0] == heard.stamp.identity or found[1] <= now.steady_us

    def note(
        self, heard: Heard, service: str, now: Instant, *, taken: bool, surely: bool = True
    ) -> None:
        """Note whether an event was taken.

        Args:
            heard: The event.
            service: Event service identifier.
            now: The moment.
            taken: Whether it was.
            surely: Whether it comes again where it was not: nobody may ask for it any more by then.
                It is waited for one retry interval.
        """
        found = self._first.get(service)
        identity = heard.stamp.identity
        if taken:
            self._first.pop(service, None)
        elif found is None or found[0] == identity or found[1] <= now.steady_us:
            patience_us = self._patience_us if surely else self._patience_us // PATIENCE
            self._first[service] = (identity, now.steady_us + patience_us)

    def forget(self, service: str) -> None:
        """Forget what was refused there: over a new link all comes again, in its order."""
        self._first.pop(service, None)
