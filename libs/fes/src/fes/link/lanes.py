"""The queues of a link: control traffic has a lane of its own."""

from collections.abc import Sequence

from fes.link.end import Message, Receiver
from fes.link.messages import Heard, HeardControl, Publish, PublishControl
from fes.link.priority import PriorityQueue

QUEUE = 20_000
"""Most events that wait."""

CONTROL_QUEUE = 100_000
"""Most messages of control traffic that wait: reached only where the other end stopped reading."""

QUEUE_BYTES = 4 * 1024 * 1024
"""Most bytes that wait in one lane."""

FRAME_BYTES = 256 * 1024
FRAME_MESSAGES = 512
MESSAGE_BYTES = 100
"""Approximate bytes of a message beside its body."""

_EVENTS = (Heard, Publish)
_EITHER = (HeardControl, PublishControl)


def is_event(message: Message) -> bool:
    """Return whether a message carries an event, and so belongs to the events' lane."""
    return isinstance(message, _EVENTS) or (isinstance(message, _EITHER) and message.publication)


class Lanes:
    """Messages that wait to be sent: control traffic first, then events, urgent ones first.

    Where the events' lane is full, one that is more urgent than others replaces the
    newest of the least urgent.

    Args:
        queue: Most events that wait.
        control: Most messages of control traffic that wait.
        lane_bytes: Most bytes that wait in each lane.

    Attributes:
        dropped: Messages that were not accepted, or were dropped while they waited.
        cut: Whether control traffic was among them: the other end then misses what only a new link
            can send again.
        on_displaced: Called with each waiting event that was dropped for a more urgent one.
    """

    def __init__(
        self, queue: int = QUEUE, control: int = CONTROL_QUEUE, lane_bytes: int = QUEUE_BYTES
    ) -> None:
        self._control = BoundedLane(control, lane_bytes)
        self._events = BoundedLane(queue, lane_bytes)
        self.dropped = 0
        self.cut = False
        self.on_displaced: Receiver = _tell_nobody

    def __len__(self) -> int:
        """Return how many messages wait."""
        return self._control.count + self._events.count

    def put(self, message: Message) -> bool:
        """Queue a message; return False where it was dropped and counted.

        A message that is dropped in its place is counted too, and passed to `on_displaced`.
        """
        event = is_event(message)
        if event:
            going = self._events.put(message, getattr(message, "priority", 0))
        else:
            going = self._control.put(message)
        if going is None:
            self.dropped += 1
            self.cut = self.cut or not event
            return False
        for each in going:
            self.dropped += 1
            self.on_displaced(each)
        return True

    def take(self, most: int = FRAME_MESSAGES) -> tuple[Message, ...]:
        """Return the next batch, bounded by count and size."""
        batch: list[Message] = []
        size = 0
        for lane in (self._control, self._events):
            while lane.count and len(batch) < most and size < FRAME_BYTES:
                before = lane.waiting_bytes
                batch.append(lane.take())
                size += before - lane.waiting_bytes
        return tuple(batch)


class BoundedLane:
    """Messages that wait, bounded by number and size; urgent ones go first.

    Args:
        most: Most messages.
        most_bytes: Most bytes; the first message is accepted whatever its size.

    Attributes:
        messages: The messages that wait.
        count: Their number.
        waiting_bytes: Their size in bytes.
    """

    __slots__ = ("_most", "_most_bytes", "count", "messages", "waiting_bytes")

    def __init__(self, most: int, most_bytes: int) -> None:
        self.messages: PriorityQueue[Message] = PriorityQueue()
        self.count = 0
        self.waiting_bytes = 0
        self._most = most
        self._most_bytes = most_bytes

    def put(self, message: Message, priority: int = 0) -> Sequence[Message] | None:
        """Queue a message; return what is dropped for it, or None where it is not accepted."""
        going: Sequence[Message] | None = ()
        if self.count >= self._most or self.waiting_bytes >= self._most_bytes:
            going = self._make_room(priority)
            if going is None:
                return None
        self.messages.append(message, priority)
        self.count += 1
        self.waiting_bytes += _size(message)
        return going

    def take(self) -> Message:
        """Remove and return the first message."""
        message = self.messages.popleft()
        self.count -= 1
        self.waiting_bytes -= _size(message)
        return message

    def _make_room(self, priority: int) -> list[Message] | None:
        """Drop messages to make room for a priority.

        Return them, or None where that is impossible.
        """
        count, size = self.count, self.waiting_bytes
        for message in self.messages.below(priority):
            count -= 1
            size -= _size(message)
            if count < self._most and size < self._most_bytes:
                break
        else:
            return None
        going = [self.messages.pop_least() for _ in range(self.count - count)]
        self.count, self.waiting_bytes = count, size
        return going


def _size(message: Message) -> int:
    return len(getattr(message, "body", b"")) + MESSAGE_BYTES


def _tell_nobody(message: Message) -> None:
    """Ignore a dropped message."""
