"""Constraints on one attribute, and which of them a value satisfies."""

from collections.abc import Iterable, Iterator
from typing import Final, Generic

from eventservices.siena.filters import Constraint, Op
from eventservices.siena.shelves import Node, Shelf, shelf_for
from eventservices.siena.values import Value, kind, kind_or_none

_RANKS: Final = {
    Op.EQ: 0,
    Op.PREFIX: 1,
    Op.SUFFIX: 1,
    Op.SUBSTRING: 2,
    Op.LT: 3,
    Op.LE: 3,
    Op.GT: 3,
    Op.GE: 3,
    Op.NE: 4,
    Op.ANY: 5,
}
_TEXT_ONLY: Final = frozenset({Op.PREFIX, Op.SUFFIX, Op.SUBSTRING})


def satisfiable(constraint: Constraint) -> bool:
    """Return whether a value of its operand's kind can satisfy a constraint at all."""
    return constraint.op not in _TEXT_ONLY or isinstance(constraint.value, str | bytes)


class Predicates(Generic[Node]):
    """Nodes by one constraint each, all on the same attribute."""

    def __init__(self) -> None:
        self._shelves: dict[tuple[Op, str], Shelf[Node]] = {}
        self._exists: dict[Node, None] = {}

    def __bool__(self) -> bool:
        """Return whether there is any node."""
        return bool(self._exists or self._shelves)

    def cost(self, constraint: Constraint) -> tuple[int, int]:
        """Return how dear it is to look a node up by a constraint; less is better."""
        rank = _RANKS[constraint.op]
        if constraint.value is None:
            return rank, len(self._exists)
        shelf = self._shelves.get((constraint.op, kind(constraint.value)))
        return rank, 0 if shelf is None else shelf.load(constraint.value)

    def put(self, constraint: Constraint, node: Node) -> None:
        """Add a node under a satisfiable constraint."""
        if constraint.value is None:
            self._exists[node] = None
            return
        key = (constraint.op, kind(constraint.value))
        shelf = self._shelves.get(key)
        if shelf is None:
            shelf = self._shelves[key] = shelf_for(constraint.op)
        shelf.put(constraint.value, node)

    def remove(self, constraint: Constraint, node: Node) -> None:
        """Remove a node that was put under a constraint."""
        if constraint.value is None:
            del self._exists[node]
            return
        key = (constraint.op, kind(constraint.value))
        shelf = self._shelves[key]
        shelf.remove(constraint.value, node)
        if not len(shelf):
            del self._shelves[key]

    def find(self, value: Value) -> Iterator[Iterable[Node]]:
        """Yield the buckets of all nodes whose constraint a value satisfies."""
        if self._exists:
            yield self._exists
        of_value = kind_or_none(value)
        for (op, of_operand), shelf in self._shelves.items():
            if of_operand == of_value:
                yield from shelf.find(value)
            elif op is Op.NE:
                yield from shelf.buckets.values()
