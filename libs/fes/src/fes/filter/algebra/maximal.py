"""The maximal filters of a set, which no other covers: it suffices to subscribe to these."""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final, Generic, TypeVar

from fes.filter.algebra.cover import Extent
from fes.filter.language.tree import Condition

MAX_COMPARED: Final = 64
"""Most maximal filters with which one is compared; of more, some covered ones stay maximal."""

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Change(Generic[K]):
    """The filters that became maximal and those that no longer are, oldest first.

    Attributes:
        add: Subscribe to these first, so that no event is missed meanwhile.
        drop: Then withdraw these.
    """

    add: tuple[K, ...] = ()
    drop: tuple[K, ...] = ()


class Maximal(Generic[K]):
    """Keeps filters, and finds which of them are maximal.

    Every filter is maximal or is under a maximal one that covers it. Filters that accept one
    subject only are compared with those of the same subject, and with those of several.

    Attributes:
        skipped: How often a filter was not compared with all, since there were too many.
    """

    def __init__(self) -> None:
        self.skipped = 0
        self._extents: dict[K, Extent] = {}
        self._tops: dict[str | None, dict[K, dict[K, None]]] = {}
        self._above: dict[K, K] = {}

    def __len__(self) -> int:
        """Return how many filters are kept, covered ones included."""
        return len(self._extents)

    def __contains__(self, key: K) -> bool:
        """Return whether a filter is kept."""
        return key in self._extents

    def __iter__(self) -> Iterator[K]:
        """Iterate over the maximal filters."""
        return (key for tops in self._tops.values() for key in tops)

    @property
    def covered(self) -> int:
        """How many filters are under a maximal one."""
        return len(self._above)

    def cover_of(self, key: K) -> K | None:
        """Return the maximal filter that a filter is under; None where it is maximal."""
        return self._above.get(key)

    def add(self, key: K, tree: Condition) -> Change[K]:
        """Add a filter; nothing changes where the key has one already."""
        if key in self._extents:
            return Change()
        self._extents[key] = Extent(tree)
        changes = _Changes[K]()
        self._place(key, changes)
        return changes.told()

    def remove(self, key: K) -> Change[K]:
        """Remove a filter; nothing changes where the key has none."""
        changes = _Changes[K]()
        if key not in self._extents:
            return changes.told()
        above = self._above.pop(key, None)
        if above is not None:
            del self._under(above)[key]
            orphans: tuple[K, ...] = ()
        else:
            orphans = self._take_top(key)
            changes.drop(key)
        del self._extents[key]
        for orphan in orphans:
            del self._above[orphan]
            self._place(orphan, changes)
        return changes.told()

    def _place(self, key: K, changes: "_Changes[K]") -> None:
        extents, extent = self._extents, self._extents[key]
        cover = next((top for top in self._near(extent) if extents[top].covers(extent)), None)
        if cover is not None:
            self._put_under(key, cover)
            return
        below = [top for top in self._below(extent) if extent.covers(extents[top])]
        self._tops.setdefault(extent.subject, {})[key] = {}
        changes.add(key)
        for top in below:
            for each in (*self._take_top(top), top):
                self._put_under(each, key)
            changes.drop(top)

    def _take_top(self, key: K) -> tuple[K, ...]:
        subject = self._extents[key].subject
        under = tuple(self._tops[subject].pop(key))
        if not self._tops[subject]:
            del self._tops[subject]
        return under

    def _put_under(self, key: K, above: K) -> None:
        self._above[key] = above
        self._under(above)[key] = None

    def _under(self, top: K) -> dict[K, None]:
        return self._tops[self._extents[top].subject][top]

    def _near(self, extent: Extent) -> list[K]:
        """Return the maximal filters that may cover one."""
        some, same = self._tops.get(None, {}), self._tops.get(extent.subject, {})
        return self._some(some if extent.subject is None else chain(some, same))

    def _below(self, extent: Extent) -> list[K]:
        """Return the maximal filters that one may cover."""
        if extent.subject is not None:
            return self._some(self._tops.get(extent.subject, {}))
        return self._some(self)

    def _some(self, tops: Iterable[K]) -> list[K]:
        found = [*islice(tops, MAX_COMPARED + 1)]
        self.skipped += len(found) > MAX_COMPARED
        return found[:MAX_COMPARED]


class _Changes(Generic[K]):
    """Collects what became maximal and what no longer is."""

    def __init__(self) -> None:
        self._add: dict[K, None] = {}
        self._drop: dict[K, None] = {}

    def add(self, key: K) -> None:
        self._add[key] = None

    def drop(self, key: K) -> None:
        if key in self._add:
            del self._add[key]
        else:
            self._drop[key] = None

    def told(self) -> Change[K]:
        return Change(tuple(self._add), tuple(self._drop))
