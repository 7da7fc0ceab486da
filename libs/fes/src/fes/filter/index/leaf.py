"""The leaves of the index: remaining tests of filters whose subject and equalities match."""

from collections.abc import Callable, Hashable, Iterable
from math import isnan
from typing import Any, Generic, TypeVar

from fes.filter.evaluate import Test, compile_filter, getter
from fes.filter.index.bounds import Bounds
from fes.filter.index.intervals import Intervals
from fes.filter.index.route import Route
from fes.filter.index.spans import Span
from fes.filter.language.tree import Condition, Reference, all_of
from fes.model.event import Event

D = TypeVar("D", bound=Hashable)
Item = TypeVar("Item", bound=Hashable)

Way = tuple[Reference, bool]
"""A name, and whether its value is a string."""


class Tested(Generic[D]):
    """A destination for which an event must also fulfil the remaining tests."""

    __slots__ = ("destination", "holds", "rest")

    def __init__(self, destination: D, rest: tuple[Condition, ...]) -> None:
        self.destination = destination
        self.rest = rest
        self.holds: Test = compile_filter(all_of(rest))

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same destination and tests."""
        return (
            isinstance(other, Tested)
            and self.destination == other.destination
            and self.rest == other.rest
        )

    def __hash__(self) -> int:
        """Agree with equality."""
        return hash((self.destination, self.rest))


class Ranges(Generic[Item]):
    """Items by the range in which the value of one name is.

    Args:
        name: The name.
        text: Whether the value is a string; a number where not.
    """

    __slots__ = ("_get", "_parts", "_text")

    def __init__(self, name: Reference, *, text: bool) -> None:
        self._get = getter(name)
        self._text = text
        self._parts: dict[str, Bounds[Item] | Intervals[Item]] = {}

    def __bool__(self) -> bool:
        """Return whether there is anything."""
        return bool(self._parts)

    def add(self, item: Item, span: Span) -> None:
        """Add an item."""
        if span.shape not in self._parts:
            between = span.shape == "between"
            self._parts[span.shape] = Intervals() if between else Bounds(lower=span.high is None)
        self._parts[span.shape].add(item, span)

    def remove(self, item: Item, span: Span) -> None:
        """Remove an item that was added."""
        part = self._parts[span.shape]
        part.remove(item, span)
        if not len(part):
            del self._parts[span.shape]

    def collect(self, event: Event, take: Callable[[list[Item]], Any]) -> None:
        """Pass the items that match an event to a function."""
        value = self._get(event)
        if isinstance(value, str) if self._text else _is_ordered(value):
            for part in self._parts.values():
                for items in part.met((value, 0)):
                    take(items)


class Leaf(Generic[D]):
    """The filters with one subject and one set of equalities."""

    __slots__ = ("_always", "_free", "_scanned", "_tested")

    def __init__(self) -> None:
        # Most leaves have one of these: a missing dictionary needs no room.
        self._always: dict[D, int] | None = None
        self._free: dict[Way, Ranges[D]] | None = None
        self._tested: dict[Way, Ranges[Tested[D]]] | None = None
        self._scanned: dict[Tested[D], int] | None = None

    def __bool__(self) -> bool:
        """Return whether there is anything."""
        return bool(self._always or self._free or self._tested or self._scanned)

    def add(self, destination: D, route: Route) -> None:
        """Add a destination."""
        if not route.rest and route.span is None:
            self._always = _counted(self._always, destination, 1)
        elif route.span is None:
            self._scanned = _counted(self._scanned, Tested(destination, route.rest), 1)
        elif not route.rest:
            self._free = {} if self._free is None else self._free
            _ranges(self._free, route.span).add(destination, route.span[1])
        else:
            self._tested = {} if self._tested is None else self._tested
            _ranges(self._tested, route.span).add(Tested(destination, route.rest), route.span[1])

    def remove(self, destination: D, route: Route) -> None:
        """Remove a destination that was added."""
        if not route.rest and route.span is None:
            self._always = _counted(self._always, destination, -1)
        elif route.span is None:
            self._scanned = _counted(self._scanned, Tested(destination, route.rest), -1)
        elif not route.rest:
            _removed(self._free or {}, destination, route.span)
        else:
            _removed(self._tested or {}, Tested(destination, route.rest), route.span)

    def collect(self, event: Event, found: set[D]) -> None:
        """Add the destinations that an event goes to."""
        if self._always:
            found.update(self._always)
        if self._free:
            for ranges in self._free.values():
                ranges.collect(event, found.update)
        if self._tested or self._scanned:
            self._collect_tested(event, found)

    def _collect_tested(self, event: Event, found: set[D]) -> None:
        def take(items: Iterable[Tested[D]]) -> None:
            for item in items:
                if item.destination not in found and item.holds(event) is True:
                    found.add(item.destination)

        for ranges in (self._tested or {}).values():
            ranges.collect(event, take)
        take(self._scanned or ())


def _ranges(table: "dict[Way, Ranges[Item]]", span: tuple[Reference, Span]) -> "Ranges[Item]":
    way = (span[0], span[1].text)
    if way not in table:
        table[way] = Ranges(span[0], text=span[1].text)
    return table[way]


def _removed(table: "dict[Way, Ranges[Item]]", item: Item, span: tuple[Reference, Span]) -> None:
    way = (span[0], span[1].text)
    table[way].remove(item, span[1])
    if not table[way]:
        del table[way]


def _counted(table: dict[Item, int] | None, item: Item, change: int) -> dict[Item, int] | None:
    counts = {} if table is None else table
    counts[item] = counts.get(item, 0) + change
    if not counts[item]:
        del counts[item]
    return counts or None


def _is_ordered(value: Any) -> bool:
    number = isinstance(value, int | float) and value.__class__ is not bool
    return number and not (value.__class__ is float and isnan(value))
