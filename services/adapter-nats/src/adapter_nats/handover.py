"""Handover from a subscription to one that matches the same subjects, without repetitions.

While both are active the server sends two copies of a message, in any order and maybe with others
between them. So both are counted, and a copy whose partner was dropped or accepted before the
handover is recognised by its content after it.
"""

from collections.abc import Sequence
from typing import Final

Copy = tuple[str, bytes, bytes]

KEPT: Final = 4096
"""Most messages of which one copy is missing; above it the oldest is forgotten."""


class Handover:
    """Decides which subscription accepts a message, while some subscriptions end.

    Args:
        ending: The subscriptions that end. All others are active.

    Attributes:
        over: Whether the remaining subscriptions accept the messages; before, those that end do.
    """

    def __init__(self, ending: frozenset[str]) -> None:
        self.over = False
        self._ending = ending
        self._ahead: dict[Copy, int] = {}

    def is_turn(self, pattern: str, matching: Sequence[str], copy: Copy) -> bool:
        """Return whether a subscription accepts a copy.

        Args:
            pattern: Subscription by which the copy came.
            matching: All subscriptions that match it, the oldest first.
            copy: Subject, payload and headers.
        """
        old = matching[0]
        new = next((each for each in matching if each not in self._ending), "")
        if old not in self._ending or not new:
            return pattern == old
        if pattern not in (old, new):
            return False
        step = 1 if pattern == old else -1
        missing = self._ahead.get(copy, 0)
        if not self.over:
            self._note(copy, missing + step)
            return pattern == old
        # The old subscription accepted a copy, or the new one left it, before the handover: now the
        # partner is left, or accepted.
        if missing * step < 0:
            self._note(copy, missing + step)
            return pattern == old
        return pattern == new

    def _note(self, copy: Copy, missing: int) -> None:
        self._ahead.pop(copy, None)
        if missing:
            self._ahead[copy] = missing
            if len(self._ahead) > KEPT:
                del self._ahead[next(iter(self._ahead))]
