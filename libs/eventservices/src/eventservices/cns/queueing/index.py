"""A priority queue whose items may leave it elsewhere."""

import heapq
from collections.abc import Iterable

from eventservices.cns.queueing.item import Item
from eventservices.cns.queueing.policy import Key

_SLACK = 64


class Index:
    """Finds the waiting item with the smallest key.

    Items that do not wait any more are passed over, and thrown out when they become the majority.

    Args:
        key: Two items never have the same.
        items: Where it begins.
    """

    def __init__(self, key: Key, items: Iterable[Item] = ()) -> None:
        self._key = key
        self._heap = [(key(item), item) for item in items]
        heapq.heapify(self._heap)

    def push(self, item: Item, waiting: int) -> None:
        """Add an item.

        Args:
            item: The item.
            waiting: How many items wait; bounds what is kept of others.
        """
        heapq.heappush(self._heap, (self._key(item), item))
        if len(self._heap) > 2 * waiting + _SLACK:
            self._heap = [entry for entry in self._heap if entry[1].waiting]
            heapq.heapify(self._heap)

    def first(self) -> Item | None:
        """Return the item with the smallest key; None where none waits."""
        while self._heap and not self._heap[0][1].waiting:
            heapq.heappop(self._heap)
        return self._heap[0][1] if self._heap else None

    def pop(self) -> Item | None:
        """Remove and return the item with the smallest key; it may continue to wait elsewhere."""
        found = self.first()
        if found is not None:
            heapq.heappop(self._heap)
        return found
