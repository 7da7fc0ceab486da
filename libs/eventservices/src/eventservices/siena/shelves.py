"""Shelves: what a filter table looks up by one constraint on one attribute.

A shelf has the constraints of one operator and one kind of operand. For a value it returns the
buckets of all operands that the value satisfies, exactly, without trying each of them where the
operator allows that: equality by hash, order by binary search, affixes by length.
"""

import math
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from eventservices.siena.filters import Op
from eventservices.siena.values import Value

Node = TypeVar("Node")


class Shelf(Generic[Node]):
    """Buckets of nodes by operand; the base returns those whose operand equals the value."""

    def __init__(self) -> None:
        self.buckets: dict[Value, dict[Node, None]] = {}

    def __len__(self) -> int:
        """Return how many different operands there are."""
        return len(self.buckets)

    def put(self, operand: Value, node: Node) -> None:
        """Add a node under an operand."""
        bucket = self.buckets.get(operand)
        if bucket is None:
            bucket = self.buckets[operand] = {}
            self._added(operand)
        bucket[node] = None

    def remove(self, operand: Value, node: Node) -> None:
        """Remove a node that was put under an operand."""
        bucket = self.buckets[operand]
        del bucket[node]
        if not bucket:
            del self.buckets[operand]
            self._removed(operand)

    def load(self, operand: Value) -> int:
        """Return how many nodes are under an operand."""
        return len(self.buckets.get(operand, ()))

    def find(self, value: Value) -> Iterable[Iterable[Node]]:
        """Return the buckets of all operands that a value satisfies."""
        bucket = self.buckets.get(value)
        return () if bucket is None else (bucket,)

    def _added(self, operand: Value) -> None:
        """Note an operand that is new."""

    def _removed(self, operand: Value) -> None:
        """Note an operand that is gone."""


class OrderShelf(Shelf[Node]):
    """Operands in their order, for `<` `<=` `>` `>=`."""

    def __init__(self, op: Op) -> None:
        super().__init__()
        self._op = op
        self._operands: list[Any] = []

    def find(self, value: Value) -> Iterable[Iterable[Node]]:
        """Return the buckets of all operands that a value is below or above."""
        if isinstance(value, float) and math.isnan(value):  # it is in no order
            return ()
        return [self.buckets[operand] for operand in self._satisfied(value)]

    def _satisfied(self, value: Any) -> list[Any]:
        match self._op:
            case Op.GT:
                return self._operands[: bisect_left(self._operands, value)]
            case Op.GE:
                return self._operands[: bisect_right(self._operands, value)]
            case Op.LT:
                return self._operands[bisect_right(self._operands, value) :]
            case _:
                return self._operands[bisect_left(self._operands, value) :]

    def _added(self, operand: Value) -> None:
        insort(self._operands, operand)

    def _removed(self, operand: Value) -> None:
        del self._operands[bisect_left(self._operands, operand)]


class AffixShelf(Shelf[Node]):
    """Prefixes or suffixes, looked up once for each length that there is."""

    def __init__(self, op: Op) -> None:
        super().__init__()
        self._prefix = op is Op.PREFIX
        self._lengths: Counter[int] = Counter()

    def find(self, value: Any) -> Iterable[Iterable[Node]]:
        """Return the buckets of all operands that a text begins, or ends, with."""
        size = len(value)
        found = []
        for length in self._lengths:
            if length <= size:
                affix = value[:length] if self._prefix else value[size - length :]
                bucket = self.buckets.get(affix)
                if bucket is not None:
                    found.append(bucket)
        return found

    def _added(self, operand: Any) -> None:
        self._lengths[len(operand)] += 1

    def _removed(self, operand: Any) -> None:
        self._lengths[len(operand)] -= 1
        if not self._lengths[len(operand)]:
            del self._lengths[len(operand)]


class SubstringShelf(Shelf[Node]):
    """Substrings, each of which is tried."""

    def find(self, value: Any) -> Iterable[Iterable[Node]]:
        """Return the buckets of all operands that a text contains."""
        return [bucket for operand, bucket in self.buckets.items() if operand in value]


class UnequalShelf(Shelf[Node]):
    """Operands that a value of the same kind must differ from."""

    def find(self, value: Value) -> Iterable[Iterable[Node]]:
        """Return the buckets of all operands but the one that a value equals."""
        return [bucket for operand, bucket in self.buckets.items() if operand != value]


def shelf_for(op: Op) -> Shelf[Node]:
    """Return an empty shelf for an operator that has an operand."""
    match op:
        case Op.EQ:
            return Shelf()
        case Op.NE:
            return UnequalShelf()
        case Op.PREFIX | Op.SUFFIX:
            return AffixShelf(op)
        case Op.SUBSTRING:
            return SubstringShelf()
        case _:
            return OrderShelf(op)
