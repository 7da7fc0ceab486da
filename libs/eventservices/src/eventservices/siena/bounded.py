"""A queue with a bound, a policy at the bound and a counter."""

from collections import deque
from enum import StrEnum
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Keep(StrEnum):
    """What a full queue keeps when one more comes."""

    NEWEST = "newest"
    OLDEST = "oldest"


class Bounded(Generic[Item]):
    """A queue of at most `size` items.

    Args:
        size: Most that it contains; at least 1.
        keep: Which it keeps at the bound; the other end is dropped.

    Raises:
        ValueError: `size` is less than 1.

    Attributes:
        dropped: Items that found no place, or lost it.
    """

    def __init__(self, size: int, keep: Keep = Keep.NEWEST) -> None:
        if size < 1:
            raise ValueError(f"a queue has room for at least 1 item: {size}")
        self.dropped = 0
        self._size = size
        self._keep = Keep(keep)
        self._items: deque[Item] = deque()

    def __len__(self) -> int:
        """Return how many items wait."""
        return len(self._items)

    def put(self, item: Item) -> bool:
        """Add an item.

        Returns:
            Whether nothing was dropped for it.
        """
        full = len(self._items) >= self._size
        if full:
            self.dropped += 1
            if self._keep is Keep.OLDEST:
                return False
            self._items.popleft()
        self._items.append(item)
        return not full

    def take(self) -> Item:
        """Return the oldest item, and remove it.

        Raises:
            IndexError: There is none.
        """
        return self._items.popleft()

    def clear(self) -> None:
        """Forget all that waits; it does not count as dropped."""
        self._items.clear()
