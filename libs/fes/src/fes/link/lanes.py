"""What waits to be sent over a link: control traffic has a lane of its own."""

from collections import deque

from fes.link.end import Message
from fes.link.messages import Heard, Publish

QUEUE = 20_000
FRAME_BYTES = 256 * 1024
FRAME_MESSAGES = 512
MESSAGE_BYTES = 100
"""What a message takes beside its body, roughly."""


_EVENTS = (Heard, Publish)


class Lanes:
    """What waits to be sent: control traffic first, events within a bound.

    Args:
        queue: Most events that wait.
    """

    def __init__(self, queue: int = QUEUE) -> None:
        self._queue = queue
        self._control: deque[Message] = deque()
        self._events: deque[Message] = deque()
        self.dropped = 0

    def __len__(self) -> int:
        """Return how many messages wait."""
        return len(self._control) + len(self._events)

    def put(self, message: Message) -> bool:
        """Queue a message; False where it was dropped and counted."""
        if not isinstance(message, _EVENTS):
            self._control.append(message)
            return True
        if len(self._events) >= self._queue:
            self.dropped += 1
            return False
        self._events.append(message)
        return True

    def take(self) -> tuple[Message, ...]:
        """Return the next batch, bounded by count and size."""
        batch: list[Message] = []
        size = 0
        for lane in (self._control, self._events):
            while lane and len(batch) < FRAME_MESSAGES and size < FRAME_BYTES:
                message = lane.popleft()
                batch.append(message)
                size += len(getattr(message, "body", b"")) + MESSAGE_BYTES
        return tuple(batch)
