"""What a conjunction of tests says about each name in it, and what follows from that."""

import copy
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from fes.filter.interval import Interval
from fes.filter.patterns import wildcard_of
from fes.filter.simple import reference_of, references_in
from fes.filter.tree import (
    Affixed,
    Among,
    And,
    Comparison,
    Condition,
    Constant,
    Exists,
    Like,
    Not,
    Or,
    Reference,
    Relation,
    Subject,
    Truth,
    Value,
)
from fes.filter.values import INVERSE, Kind, kind_of
from fes.wildcard import Wildcard

Key = tuple[Kind | None, Any]
"""A value with its kind, since Python's 1 equals True."""


@dataclass(slots=True)
class Fact:
    """What is known of one name's value.

    Attributes:
        present, absent: Whether the name is known to exist, or not to.
        kinds: Kinds that the value must be of; two contradict each other.
        interval: Where it lies.
        values: The only ones that it may be; None where it may be any.
        excluded: What it is not.
        like, unlike: Patterns that it matches, and does not match.
    """

    present: bool = False
    absent: bool = False
    kinds: frozenset[Kind | None] = frozenset()
    interval: Interval = field(default_factory=Interval)
    values: frozenset[Key] | None = None
    excluded: frozenset[Key] = frozenset()
    like: tuple[Wildcard, ...] = ()
    unlike: tuple[Wildcard, ...] = ()

    def add(self, test: Condition) -> None:
        """Learn from a test of the name that is true."""
        match test:
            case Comparison(_, relation, Constant(value)):
                self._is(kind_of(value))
                self.compared(relation, value)
            case Among(_, constants):
                self._only(frozenset(_key(constant.value) for constant in constants))
            case Affixed() | Like():
                self._is("string")
                self.matched(wildcard_of(test))
            case Not(Affixed() | Like() as inverted):
                self._is("string")
                self.unlike += (wildcard_of(inverted),)
            case Exists():
                self.present = True
            case Not(Exists()):
                self.absent = True

    def calculated(self) -> None:
        """Learn that the value was calculated with."""
        self._is("number")

    def possible(self) -> bool:
        """Tell whether some value is as known; True in doubt."""
        if (self.present and self.absent) or len(self.kinds) > 1 or self.interval.empty:
            return False
        single = self.interval.single
        values = self.values if single is None else frozenset((_key(single),))
        if values is not None and not any(self._allows(key) for key in values):
            return False
        return not any(one.covers(other) for one in self.unlike for other in self.like)

    def implies(self, test: Condition) -> bool:
        """Tell whether a test of the name must be true: whether it cannot be otherwise."""
        otherwise = copy.copy(self)
        match test:
            case Exists():
                return self.present
            case Not(Exists()):
                return self.absent
            case Comparison(_, relation, Constant(value)):
                if self.kinds != {kind_of(value)}:
                    return False  # it may be unknown
                otherwise.compared(INVERSE[relation], value)
            case Among(_, constants):
                if self.values is None and self.interval.single is None:
                    return False
                otherwise.excluded |= {_key(constant.value) for constant in constants}
            case Affixed() | Like() if self.kinds == {"string"}:
                otherwise.unlike += (wildcard_of(test),)
            case Not(Affixed() | Like() as inverted) if self.kinds == {"string"}:
                otherwise.matched(wildcard_of(inverted))
            case _:
                return False
        return not otherwise.possible()

    def compared(self, relation: Relation, value: Value) -> None:
        """Learn that a comparison with a value of the same kind is true."""
        if relation == "=":
            self._only(frozenset((_key(value),)))
        elif relation == "<>":
            self.excluded |= {_key(value)}
        else:
            self.interval = self.interval.narrowed(relation, value)

    def matched(self, pattern: Wildcard) -> None:
        """Learn that the value, a string, matches a pattern."""
        self.like += (pattern,)
        self.interval = self.interval.starting_with(pattern.prefix)

    def _is(self, kind: Kind | None) -> None:
        self.present = True
        self.kinds |= {kind}

    def _only(self, keys: frozenset[Key]) -> None:
        self.present = True
        self.values = keys if self.values is None else self.values & keys
        kinds = {kind for kind, _ in keys}
        if len(kinds) == 1:
            self.kinds |= kinds

    def _allows(self, key: Key) -> bool:
        kind, value = key
        if key in self.excluded or (self.kinds and kind not in self.kinds):
            return False
        if (self.values is not None and key not in self.values) or not self.interval.holds(value):
            return False
        if not self.like and not self.unlike:
            return True
        return (
            isinstance(value, str)
            and all(pattern.matches(value) for pattern in self.like)
            and not any(pattern.matches(value) for pattern in self.unlike)
        )


def _key(value: Value) -> Key:
    return (kind_of(value), value)


class Facts:
    """What a conjunction says about every name in it.

    Args:
        tests: The conjunction, in normal form; disjunctions in it count as they stand.
    """

    def __init__(self, tests: Iterable[Condition]) -> None:
        self.tests = frozenset(tests)
        self.of: dict[Reference, Fact] = {}
        for test in self.tests:
            self._add(test)
        self.possible = Truth(value=False) not in self.tests and all(
            fact.possible() for fact in self.of.values()
        )

    def implies(self, condition: Condition) -> bool:
        """Tell whether a condition in normal form must be true; never wrongly True."""
        if not self.possible or condition in self.tests:
            return True
        match condition:
            case Truth(value):
                return value
            case And(items):
                return all(self.implies(item) for item in items)
            case Or(items):
                return any(self.implies(item) for item in items)
        reference = reference_of(condition)
        fact = self.of.get(reference) if reference is not None else None
        return fact is not None and fact.implies(condition)

    def _add(self, test: Condition) -> None:
        reference = reference_of(test)
        if reference is not None:
            self._fact(reference).add(test)
        for needed, number in references_in(test):
            self._fact(needed).present = True
            if number:
                self._fact(needed).calculated()

    def _fact(self, reference: Reference) -> Fact:
        if reference not in self.of:
            self.of[reference] = Fact(present=isinstance(reference, Subject))
        fact = self.of[reference]
        if isinstance(reference, Subject):
            fact.kinds |= {"string"}
        return fact
