"""The filter table of an access point: which of many filters a notification matches.

Each filter is kept under one of its constraints, the one that the fewest notifications are likely
to satisfy. A notification looks up, for each of its attributes, the constraints that the value
satisfies; only filters found that way are tried, and only on the rest of their constraints. Equal
filters are tried once, however many keys they have.

Source:
    Predicate index with one access predicate a filter (Fabret et al., SIGMOD 2001), as a variant of
    the counting algorithm of SIENA's forwarding table; digest `reference/siena.md`, section 7.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from eventservices.siena.filters import Constraint, Filter
from eventservices.siena.matching import Match, compile_filter
from eventservices.siena.predicates import Predicates, satisfiable
from eventservices.siena.values import Value

Key = TypeVar("Key", bound=Hashable)


@dataclass(slots=True, eq=False)
class _Node(Generic[Key]):
    filter: Filter
    access: Constraint | None
    rest: Match | None
    keys: dict[Key, int] = field(default_factory=dict)


class FilterTable(Generic[Key]):
    """Filters by key; `match` equals trying every filter, and is quicker where there are many."""

    def __init__(self) -> None:
        self._nodes: dict[Filter, _Node[Key]] = {}
        self._filters: dict[Key, Filter] = {}
        self._names: dict[str, Predicates[_Node[Key]]] = {}
        self._always: dict[_Node[Key], None] = {}
        self._number = 0

    def __len__(self) -> int:
        """Return how many keys there are."""
        return len(self._filters)

    def __contains__(self, key: Key) -> bool:
        """Return whether a key is in the table."""
        return key in self._filters

    def add(self, key: Key, what: Filter) -> None:
        """Add a filter under a key that has none yet.

        Raises:
            ValueError: The key has a filter.
        """
        if key in self._filters:
            raise ValueError(f"key {key!r} has a filter already")
        node = self._nodes.get(what)
        if node is None:
            node = self._nodes[what] = self._node(what)
        self._number += 1
        node.keys[key] = self._number
        self._filters[key] = what

    def remove(self, key: Key) -> None:
        """Remove a key with its filter.

        Raises:
            KeyError: It is not there.
        """
        what = self._filters.pop(key)
        node = self._nodes[what]
        del node.keys[key]
        if not node.keys:
            del self._nodes[what]
            self._displace(node)

    def match(self, attributes: Mapping[str, Value]) -> list[Key]:
        """Return the keys whose filters a notification matches, in the order they were added.

        Args:
            attributes: Values by name.
        """
        hits = list(self._always)
        for name, value in attributes.items():
            predicates = self._names.get(name)
            if predicates is None or value is None:
                continue
            for bucket in predicates.find(value):
                for node in bucket:
                    if node.rest is None or node.rest(attributes):
                        hits.append(node)  # noqa: PERF401 - a comprehension costs a call more
        if len(hits) == 1 and len(hits[0].keys) == 1:
            return list(hits[0].keys)
        return _in_order(hits)

    def _node(self, what: Filter) -> _Node[Key]:
        if not what.constraints:
            node: _Node[Key] = _Node(what, None, None)
            self._always[node] = None
            return node
        access = min(what.constraints, key=self._cost)
        others = tuple(each for each in what.constraints if each is not access)
        node = _Node(what, access, compile_filter(Filter(others)) if others else None)
        if all(map(satisfiable, what.constraints)):  # else nothing matches it, and nobody looks
            self._names.setdefault(access.name, Predicates()).put(access, node)
        return node

    def _cost(self, constraint: Constraint) -> tuple[int, int]:
        predicates = self._names.get(constraint.name)
        return (predicates or Predicates[_Node[Key]]()).cost(constraint)

    def _displace(self, node: _Node[Key]) -> None:
        if node.access is None:
            del self._always[node]
        elif all(map(satisfiable, node.filter.constraints)):
            predicates = self._names[node.access.name]
            predicates.remove(node.access, node)
            if not predicates:
                del self._names[node.access.name]


def _in_order(nodes: list[_Node[Key]]) -> list[Key]:
    numbered = [(number, key) for node in nodes for key, number in node.keys.items()]
    numbered.sort(key=lambda pair: pair[0])
    return [key for _, key in numbered]
