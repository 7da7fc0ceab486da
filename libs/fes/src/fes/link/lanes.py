"""The queues of a link: control traffic has a lane of its own, and urgent events go first."""

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Generic, TypeVar

from fes.link.end import Message, Receiver
from fes.link.messages import Heard, HeardControl, Publish, PublishControl

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

Item = TypeVar("Item")

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
        count: Messages that wait.
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
        self.count = 0
        self.dropped = 0
        self.cut = False
        self.on_displaced: Receiver = _tell_nobody

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
        self.count += 1 - len(going)
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
        self.count -= len(batch)
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


class PriorityQueue(Generic[Item]):
    """Returns larger priorities first, and equal ones in the order in which they came.

    Where all have priority 0, as nearly all events do, it is one `deque`.
    """

    __slots__ = ("_count", "_others", "_plain", "_priorities")

    def __init__(self) -> None:
        self._plain: deque[Item] = deque()
        self._others: dict[int, deque[Item]] = {}  # by priority; none is empty
        self._priorities: list[int] = []  # of the others, ascending
        self._count = 0

    def __len__(self) -> int:
        """Return how many items wait."""
        return len(self._plain) + self._count

    def append(self, item: Item, priority: int = 0) -> None:
        """Add an item behind those that are as urgent."""
        if not priority:
            self._plain.append(item)
            return
        queue = self._others.get(priority)
        if queue is None:
            queue = self._others[priority] = deque()
            insort(self._priorities, priority)
        queue.append(item)
        self._count += 1

    def popleft(self) -> Item:
        """Remove and return the oldest of the most urgent items.

        Raises:
            IndexError: No item waits.
        """
        if not self._count or (self._plain and self._priorities[-1] < 0):
            return self._plain.popleft()
        priority = self._priorities[-1]
        item = self._others[priority].popleft()
        self._taken_from(priority)
        return item

    def pop_least(self) -> Item:
        """Remove and return the newest of the least urgent items.

        Raises:
            IndexError: No item waits.
        """
        if not self._count or (self._plain and self._priorities[0] > 0):
            return self._plain.pop()
        priority = self._priorities[0]
        item = self._others[priority].pop()
        self._taken_from(priority)
        return item

    def below(self, priority: int) -> Iterator[Item]:
        """Yield the items less urgent than a priority, in the order of `pop_least`.

        The queue must not change meanwhile.
        """
        for level in self._levels():
            if level >= priority:
                return
            yield from reversed(self._others[level] if level else self._plain)

    def _levels(self) -> Iterator[int]:
        """Yield the priorities of the queue, ascending, always with 0."""
        negative = bisect_left(self._priorities, 0)
        yield from islice(self._priorities, negative)
        yield 0
        yield from islice(self._priorities, negative, None)

    def _taken_from(self, priority: int) -> None:
        self._count -= 1
        if not self._others[priority]:
            del self._others[priority]
            del self._priorities[bisect_left(self._priorities, priority)]


def _size(message: Message) -> int:
    return len(getattr(message, "body", b"")) + MESSAGE_BYTES


def _tell_nobody(message: Message) -> None:
    """Ignore a dropped message."""
