"""A queue in which more urgent items go first."""

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Generic, TypeVar

Item = TypeVar("Item")


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
