"""Retained messages: which topics have one, and which of them were deleted meanwhile.

While the adapter is disconnected it receives no deletion. When it connects again the broker sends
all that it still keeps; what it does not send was deleted.
"""

from typing import Final

KEPT: Final = 10_000
"""Most topics that are remembered; the oldest is forgotten, and its deletion may be missed."""


class RetainedTopics:
    """Remembers the topics for which the broker keeps a message.

    Attributes:
        forgotten: Topics that were too many.
    """

    def __init__(self) -> None:
        self.forgotten = 0
        self._topics: dict[str, None] = {}
        self._unproved: set[str] = set()

    def __len__(self) -> int:
        """Return how many topics are remembered."""
        return len(self._topics)

    def kept(self, topic: str) -> None:
        """Note that the broker keeps a message for a topic."""
        self._unproved.discard(topic)
        self._topics.pop(topic, None)
        self._topics[topic] = None
        if len(self._topics) > KEPT:
            del self._topics[next(iter(self._topics))]
            self.forgotten += 1

    def deleted(self, topic: str) -> bool:
        """Note that it keeps none; return whether it was known to keep one."""
        self._unproved.discard(topic)
        return self._topics.pop(topic, self) is None

    def away(self) -> None:
        """Note that the connection was lost: what is kept is unknown from now on."""
        self._unproved = set(self._topics)

    def missing(self) -> list[str]:
        """Return the topics that were deleted while the connection was lost, oldest first.

        Call it once the broker has sent all that it keeps.
        """
        gone = [topic for topic in self._topics if topic in self._unproved]
        self._unproved.clear()
        for topic in gone:
            del self._topics[topic]
        return gone
