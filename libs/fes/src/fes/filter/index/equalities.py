"""Filters by the constants to which names must be equal: one look-up for each set of names."""

from collections.abc import Callable, Hashable
from typing import Any, Final, Generic, TypeVar

from fes.filter.evaluate import getter
from fes.filter.index.leaf import Leaf
from fes.filter.index.route import Name, Route
from fes.filter.language.tree import Attribute
from fes.filter.values import kind_of
from fes.model.event import Event

D = TypeVar("D", bound=Hashable)

_COMPARED_AS_THEY_ARE: Final = frozenset((str, int, float))


class Table(Generic[D]):
    """The filters that compare the same names with constants.

    Args:
        names: The names, the leading one first.
    """

    __slots__ = ("_leaves", "_others")

    def __init__(self, names: tuple[Name, ...]) -> None:
        self._others: tuple[Callable[[Event], Any], ...] = tuple(map(getter, names[1:]))
        self._leaves: dict[Hashable, Leaf[D]] = {}

    def __bool__(self) -> bool:
        """Return whether there is anything."""
        return bool(self._leaves)

    def add(self, destination: D, route: Route) -> None:
        """Add a destination."""
        key = self._key([value for _, value in route.equal])
        leaf = self._leaves.get(key)
        if leaf is None:
            leaf = self._leaves[key] = Leaf()
        leaf.add(destination, route)

    def remove(self, destination: D, route: Route) -> None:
        """Remove a destination that was added."""
        key = self._key([value for _, value in route.equal])
        leaf = self._leaves[key]
        leaf.remove(destination, route)
        if not leaf:
            del self._leaves[key]

    def collect(self, event: Event, leading: Any, found: set[D]) -> None:
        """Add the destinations of an event.

        Args:
            event: The event.
            leading: The event's value of the leading name.
            found: Collects the destinations.
        """
        if self._others:
            key: Hashable = tuple(_keyed(each) for each in (leading, *self._values(event)))
        else:
            key = _keyed(leading)
        leaf = self._leaves.get(key)
        if leaf is not None:
            leaf.collect(event, found)

    def _values(self, event: Event) -> list[Any]:
        return [get(event) for get in self._others]

    def _key(self, values: list[Any]) -> Hashable:
        return tuple(map(_keyed, values)) if self._others else _keyed(values[0])


Tables = dict[str, dict[tuple[Name, ...], Table[D]]]
"""By the identifier of the leading name, then by all names."""


class OfSubject(Generic[D]):
    """The filters of one subject, or of any."""

    __slots__ = ("_by_attribute", "_by_parameter", "_plain")

    def __init__(self) -> None:
        self._plain: Leaf[D] = Leaf()
        self._by_parameter: Tables[D] = {}
        self._by_attribute: Tables[D] = {}

    def __bool__(self) -> bool:
        """Return whether there is anything."""
        return bool(self._plain or self._by_parameter or self._by_attribute)

    def add(self, destination: D, route: Route) -> None:
        """Add a destination."""
        if not route.equal:
            self._plain.add(destination, route)
            return
        names = tuple(name for name, _ in route.equal)
        tables, leading = self._tables(names[0])
        by_names = tables.setdefault(leading, {})
        if names not in by_names:
            by_names[names] = Table(names)
        by_names[names].add(destination, route)

    def remove(self, destination: D, route: Route) -> None:
        """Remove a destination that was added."""
        if not route.equal:
            self._plain.remove(destination, route)
            return
        names = tuple(name for name, _ in route.equal)
        tables, leading = self._tables(names[0])
        by_names = tables[leading]
        by_names[names].remove(destination, route)
        if not by_names[names]:
            del by_names[names]
        if not by_names:
            del tables[leading]

    def collect(self, event: Event, found: set[D]) -> None:
        """Add the destinations that an event goes to."""
        self._plain.collect(event, found)
        if self._by_parameter:
            for field in event.parameters:
                for table in self._by_parameter.get(field.id, _NONE).values():
                    table.collect(event, field.value, found)
        if self._by_attribute:
            for field in event.attributes:
                for table in self._by_attribute.get(field.id, _NONE).values():
                    table.collect(event, field.value, found)

    def _tables(self, name: Name) -> tuple[Tables[D], str]:
        of_attribute = isinstance(name, Attribute)
        return (self._by_attribute if of_attribute else self._by_parameter), name.name


_NONE: Final[dict[tuple[Name, ...], Table[Any]]] = {}


def _keyed(value: Any) -> Hashable:
    """Return a key that is equal for exactly the values that are equal in filters."""
    if value.__class__ in _COMPARED_AS_THEY_ARE:
        key: Hashable = value
        return key
    kind = kind_of(value)
    if kind == "boolean":
        return (kind, value)
    return value if kind is not None else (kind,)
