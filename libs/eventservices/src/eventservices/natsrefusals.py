"""Subscriptions that a NATS server does not grant, or removes.

The client is notified by an error beside the connection, which stays open: if that is ignored, a
subscription that was refused receives nothing for ever.
"""

import re
from collections.abc import Iterable

_REFUSED = re.compile(r'permissions violation for subscription to "([^"]*)"', re.IGNORECASE)


class Refusals:
    """Remembers which of one's own subjects a server refuses."""

    def __init__(self) -> None:
        self._subjects: dict[str, None] = {}
        self._asked: dict[str, None] = {}

    def hear(self, error: Exception, own: Iterable[str]) -> None:
        """Note an error that the client reported.

        Args:
            error: The server's words, which `nats-py` converts to lower case.
            own: Subjects that are subscribed to; one that is not among them is not remembered.
        """
        found = _REFUSED.search(str(error))
        if found is not None:
            told = found[1].lower()
            self._subjects.update(dict.fromkeys(each for each in own if each.lower() == told))

    def take(self) -> frozenset[str]:
        """Return the subjects that are refused: they are requested again now."""
        taken, self._subjects = self._subjects, {}
        self._asked.update(taken)
        return frozenset(taken)

    def answered(self, subjects: Iterable[str]) -> None:
        """Forget subjects that were requested again: a further refusal has arrived by now."""
        for subject in subjects:
            self._asked.pop(subject, None)

    def __str__(self) -> str:
        """Return the subjects that are refused, or not known to be granted yet, by commas."""
        return ", ".join({**self._subjects, **self._asked})
