"""Items that match values from a bound on, or up to it, sorted by their bounds."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Hashable
from operator import itemgetter
from typing import Final, Generic, TypeVar

from fes.filter.index.spans import End, Span

Item = TypeVar("Item", bound=Hashable)

FEW: Final = 16
"""Most new bounds that are inserted one by one; more are sorted in together."""

_END: Final = itemgetter(0)


class Bounds(Generic[Item]):
    """Items with one bound each; of several bounds of an item only the widest counts.

    Args:
        lower: Whether values from the bound on match the item; otherwise those up to it.
    """

    __slots__ = ("_ends", "_fresh", "_items", "_lower", "_of")

    def __init__(self, *, lower: bool) -> None:
        self._lower = lower
        self._ends: list[End] = []
        self._items: list[Item] = []
        self._of: dict[Item, End | list[End]] = {}
        self._fresh: dict[Item, End] = {}

    def __len__(self) -> int:
        """Return how many items there are."""
        return len(self._of)

    def add(self, item: Item, span: Span) -> None:
        """Add a bound of an item."""
        end = self._end(span)
        known = self._of.get(item)
        if known is None:
            self._of[item] = end
            self._fresh[item] = end
            return
        ends = known if isinstance(known, list) else [known]
        before = self._widest(ends)
        insort(ends, end)
        self._of[item] = ends
        self._moved(item, before, self._widest(ends))

    def remove(self, item: Item, span: Span) -> None:
        """Remove a bound that an item has."""
        end = self._end(span)
        known = self._of[item]
        if not isinstance(known, list):
            del self._of[item]
            self._take_out(item, known)
            return
        before = self._widest(known)
        known.remove(end)
        if len(known) == 1:
            self._of[item] = known[0]
        self._moved(item, before, self._widest(known))

    def met(self, end: End) -> tuple[list[Item]]:
        """Return the items that match a value."""
        if self._fresh:
            self._sort_in()
        if self._lower:
            return (self._items[: bisect_right(self._ends, end)],)
        return (self._items[bisect_left(self._ends, end) :],)

    def _end(self, span: Span) -> End:
        end = span.low if self._lower else span.high
        if end is None:
            raise ValueError("no bound on that side")
        return end

    def _widest(self, ends: list[End]) -> End:
        return ends[0] if self._lower else ends[-1]

    def _moved(self, item: Item, before: End, after: End) -> None:
        if before != after:
            self._take_out(item, before)
            self._fresh[item] = after

    def _take_out(self, item: Item, end: End) -> None:
        if self._fresh.pop(item, None) is not None:
            return
        first = bisect_left(self._ends, end)
        at = self._items.index(item, first)
        del self._ends[at], self._items[at]

    def _sort_in(self) -> None:
        fresh, self._fresh = self._fresh, {}
        if len(fresh) <= FEW:
            for item, end in fresh.items():
                at = bisect_right(self._ends, end)
                self._ends.insert(at, end)
                self._items.insert(at, item)
            return
        pairs = [*zip(self._ends, self._items, strict=True)]
        pairs += [(end, item) for item, end in fresh.items()]
        pairs.sort(key=_END)
        self._ends = [end for end, _ in pairs]
        self._items = [item for _, item in pairs]
