"""Items that match values between two ends: a tree of centres.

Each node has a centre and the intervals around it, once by their lower and once by their upper
end, so that those that match a value are together at one end of a list. A part of the tree that
grew too deep is built again.

Source:
    H. Edelsbrunner's interval tree, with the partial rebuilding of Galperin and Rivest's
    scapegoat trees.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterator, Sequence
from math import log
from operator import itemgetter
from typing import Final, Generic, TypeVar

from fes.filter.index.bounds import FEW
from fes.filter.index.spans import End, Span

Item = TypeVar("Item", bound=Hashable)

Entry = tuple[End, End, Item]

_LOW: Final = itemgetter(0)
_HIGH: Final = itemgetter(1)

SHARE: Final = 0.7
"""Largest part of a node's intervals that may be on one side of it before it is built again."""


class _Node(Generic[Item]):
    """A centre, the intervals around it, and the subtrees on its sides."""

    __slots__ = (
        *("centre", "entries", "high_items", "highs"),
        *("left", "low_items", "lows", "right", "size"),
    )

    def __init__(self, centre: End) -> None:
        self.centre = centre
        self.entries: list[Entry[Item]] = []
        self.lows: list[End] = []
        self.low_items: list[Item] = []
        self.highs: list[End] = []
        self.high_items: list[Item] = []
        self.left: _Node[Item] | None = None
        self.right: _Node[Item] | None = None
        self.size = 0

    def put(self, entry: Entry[Item]) -> None:
        low, high, item = entry
        at = bisect_right(self.lows, low)
        self.lows.insert(at, low)
        self.low_items.insert(at, item)
        self.entries.insert(at, entry)
        at = bisect_right(self.highs, high)
        self.highs.insert(at, high)
        self.high_items.insert(at, item)

    def take(self, entry: Entry[Item]) -> None:
        low, high, item = entry
        at = self.entries.index(entry, bisect_left(self.lows, low))
        del self.lows[at], self.low_items[at], self.entries[at]
        at = self.high_items.index(item, bisect_left(self.highs, high))
        del self.highs[at], self.high_items[at]

    def fill(self, entries: list[Entry[Item]]) -> None:
        self.entries = sorted(entries, key=_LOW)
        self.lows = [low for low, _, _ in self.entries]
        self.low_items = [item for _, _, item in self.entries]
        by_high = sorted(entries, key=_HIGH)
        self.highs = [high for _, high, _ in by_high]
        self.high_items = [item for _, _, item in by_high]

    def under(self) -> list[Entry[Item]]:
        """Return all entries of this part of the tree."""
        found: list[Entry[Item]] = []
        parts: list[_Node[Item] | None] = [self]
        while parts:
            part = parts.pop()
            if part is not None:
                found.extend(part.entries)
                parts += (part.left, part.right)
        return found


class Intervals(Generic[Item]):
    """Items with one interval or several each, both ends included."""

    __slots__ = ("_entries", "_fresh", "_removed", "_root")

    def __init__(self) -> None:
        self._entries: dict[Entry[Item], int] = {}
        self._fresh: list[Entry[Item]] = []
        self._removed = 0
        self._root: _Node[Item] | None = None

    def __len__(self) -> int:
        """Return how many different intervals there are."""
        return len(self._entries)

    def add(self, item: Item, span: Span) -> None:
        """Add an interval of an item; an empty one matches nothing."""
        entry = _entry(item, span)
        known = self._entries.get(entry, 0)
        self._entries[entry] = known + 1
        if not known and entry[0] <= entry[1]:
            self._fresh.append(entry)

    def remove(self, item: Item, span: Span) -> None:
        """Remove an interval that an item has."""
        entry = _entry(item, span)
        if self._entries[entry] > 1:
            self._entries[entry] -= 1
            return
        if entry[0] <= entry[1]:
            self._sort_in()
            self._take_out(entry)
        del self._entries[entry]
        if self._removed > len(self._entries) + FEW:
            self._root, self._removed = _built(self._all()), 0

    def met(self, end: End) -> Iterator[list[Item]]:
        """Yield the items that match a value; one with several intervals may come repeatedly."""
        if self._fresh:
            self._sort_in()
        node = self._root
        while node is not None:
            if end < node.centre:
                yield node.low_items[: bisect_right(node.lows, end)]
                node = node.left
            elif node.centre < end:
                yield node.high_items[bisect_left(node.highs, end) :]
                node = node.right
            else:
                yield node.low_items
                return

    def _all(self) -> list[Entry[Item]]:
        return [entry for entry in self._entries if entry[0] <= entry[1]]

    def _sort_in(self) -> None:
        fresh, self._fresh = self._fresh, []
        if len(fresh) > len(self._entries) // 4:
            self._root = _built(self._all())
            return
        for entry in fresh:
            self._insert(entry)

    def _insert(self, entry: Entry[Item]) -> None:
        low, high, _ = entry
        path: list[_Node[Item]] = []
        node = self._root
        while node is not None:
            node.size += 1
            if low <= node.centre <= high:
                node.put(entry)
                return
            path.append(node)
            node = node.left if high < node.centre else node.right
        self._hang(_built([entry]), path, high)
        if path and len(path) > 4 + log(path[0].size, 1 / SHARE):
            self._rebalance(path)

    def _hang(self, part: _Node[Item] | None, path: Sequence[_Node[Item]], high: End) -> None:
        """Attach a subtree under the last node of a path."""
        if not path:
            self._root = part
        elif high < path[-1].centre:
            path[-1].left = part
        else:
            path[-1].right = part

    def _rebalance(self, path: Sequence[_Node[Item]]) -> None:
        """Build the highest subtree again that is unbalanced."""
        for at, node in enumerate(path):
            heavier = max(side.size for side in (node.left, node.right) if side is not None)
            if heavier > SHARE * node.size:
                self._hang(_built(node.under()), path[:at], node.centre)
                return

    def _take_out(self, entry: Entry[Item]) -> None:
        low, high, _ = entry
        node = self._root
        while node is not None:
            node.size -= 1
            if low <= node.centre <= high:
                node.take(entry)
                self._removed += 1
                return
            node = node.left if high < node.centre else node.right


def _entry(item: Item, span: Span) -> Entry[Item]:
    if span.low is None or span.high is None:
        raise ValueError("an interval has two ends")
    return (span.low, span.high, item)


def _built(entries: list[Entry[Item]]) -> _Node[Item] | None:
    """Return a balanced tree."""
    if not entries:
        return None
    lows = sorted(low for low, _, _ in entries)
    node = _Node[Item](lows[len(lows) // 2])
    centre = node.centre
    node.fill([entry for entry in entries if entry[0] <= centre <= entry[1]])
    node.left = _built([entry for entry in entries if entry[1] < centre])
    node.right = _built([entry for entry in entries if entry[0] > centre])
    node.size = len(entries)
    return node
