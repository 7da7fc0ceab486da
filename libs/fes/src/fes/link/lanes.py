"""What waits to be sent over a link: control traffic has a lane of its own."""

from collections import deque

from fes.link.end import Message
from fes.link.messages import Heard, HeardControl, Publish, PublishControl

QUEUE = 20_000
"""Most events that wait."""

CONTROL_QUEUE = 100_000
"""Most messages of control traffic that wait: only where the other end reads no more."""

QUEUE_BYTES = 64 * 1024 * 1024
"""Most bytes that wait in one lane."""

FRAME_BYTES = 256 * 1024
FRAME_MESSAGES = 512
MESSAGE_BYTES = 100
"""What a message takes beside its body, roughly."""

_EVENTS = (Heard, Publish)
_EITHER = (HeardControl, PublishControl)


def is_event(message: Message) -> bool:
    """Tell whether a message carries an event, and so belongs to the events' lane."""
    return isinstance(message, _EVENTS) or (isinstance(message, _EITHER) and message.publication)


class Lanes:
    """What waits to be sent: control traffic first, all within bounds.

    Args:
        queue: Most events that wait.
        control: Most messages of control traffic that wait.
        lane_bytes: Most bytes that wait in each lane.

    Attributes:
        dropped: Messages that were not taken.
        cut: Whether control traffic was among them: the other end misses something that only a
            new link can tell it.
    """

    def __init__(
        self, queue: int = QUEUE, control: int = CONTROL_QUEUE, lane_bytes: int = QUEUE_BYTES
    ) -> None:
        self._control = _Lane(control, lane_bytes)
        self._events = _Lane(queue, lane_bytes)
        self.dropped = 0
        self.cut = False

    def __len__(self) -> int:
        """Return how many messages wait."""
        return len(self._control.messages) + len(self._events.messages)

    def put(self, message: Message) -> bool:
        """Queue a message; False where it was dropped and counted."""
        event = is_event(message)
        if (self._events if event else self._control).put(message):
            return True
        self.dropped += 1
        self.cut = self.cut or not event
        return False

    def take(self) -> tuple[Message, ...]:
        """Return the next batch, bounded by count and size."""
        batch: list[Message] = []
        size = 0
        for lane in (self._control, self._events):
            while lane.messages and len(batch) < FRAME_MESSAGES and size < FRAME_BYTES:
                message = lane.messages.popleft()
                batch.append(message)
                taken = _size(message)
                lane.waiting_bytes -= taken
                size += taken
        return tuple(batch)


class _Lane:
    __slots__ = ("_most", "_most_bytes", "messages", "waiting_bytes")

    def __init__(self, most: int, most_bytes: int) -> None:
        self.messages: deque[Message] = deque()
        self.waiting_bytes = 0
        self._most = most
        self._most_bytes = most_bytes

    def put(self, message: Message) -> bool:
        if len(self.messages) >= self._most or self.waiting_bytes >= self._most_bytes:
            return False
        self.messages.append(message)
        self.waiting_bytes += _size(message)
        return True


def _size(message: Message) -> int:
    return len(getattr(message, "body", b"")) + MESSAGE_BYTES
