"""Puts events that were returned into their order again, whatever order they come in."""

from collections.abc import Iterable
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Sorter(Generic[Item]):
    """Delays events while earlier ones are expected. No I/O.

    Attributes:
        expected: Numbers of the events that must come first.
    """

    def __init__(self) -> None:
        self.expected: set[int] = set()
        self._held_back: dict[int, Item] = {}

    def expect(self, numbers: Iterable[int]) -> None:
        """Expect events; what was expected before, and did not come, is expected no more."""
        self.expected = set(numbers) - self._held_back.keys()

    def put(self, number: int, item: Item) -> list[Item]:
        """Accept an event; return those that may be passed on now, in order."""
        self.expected.discard(number)
        if not self.expected and not self._held_back:
            return [item]
        self._held_back[number] = item
        return [] if self.expected else self.release()

    def release(self) -> list[Item]:
        """Expect nothing any more; return what was delayed, in order."""
        self.expected.clear()
        ready = [self._held_back[number] for number in sorted(self._held_back)]
        self._held_back.clear()
        return ready
