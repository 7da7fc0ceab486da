"""What is known of one name's value, and what follows from that."""

import copy
from dataclasses import dataclass, field
from typing import Any

from fes.filter.algebra.interval import Interval
from fes.filter.language.patterns import wildcard_of
from fes.filter.language.tree import (
    Affixed,
    Among,
    Comparison,
    Condition,
    Constant,
    Exists,
    Like,
    Not,
    Relation,
    Value,
)
from fes.filter.values import INVERSE, ORDERINGS, Kind, kind_of
from fes.wildcard import Wildcard

Key = tuple[Kind | None, Any]
"""A value with its kind, since Python's 1 equals True."""


@dataclass(slots=True)
class Fact:
    """What is known of one name's value.

    Attributes:
        present, absent: Whether the name is known to exist, or not to exist.
        kinds: Kinds that the value must be of; two contradict each other.
        interval: The interval in which it is.
        values: The only values that it may have; None where it may have any.
        excluded: Values that it does not have.
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
        """Add what follows from a test of the name that is true."""
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
        """Add that a calculation used the value."""
        self._is("number")

    def possible(self) -> bool:
        """Return whether some value fits what is known; True in doubt."""
        if (self.present and self.absent) or len(self.kinds) > 1 or self.interval.empty:
            return False
        single = self.interval.single
        values = self.values if single is None else frozenset((_key(single),))
        if values is not None and not any(self._allows(key) for key in values):
            return False
        return not any(one.covers(other) for one in self.unlike for other in self.like)

    def implies(self, test: Condition) -> bool:
        """Return whether a test of the name must be true."""
        otherwise = copy.copy(self)
        match test:
            case Exists():
                return self.present
            case Not(Exists()):
                return self.absent
            case Comparison(_, relation, Constant(value)):
                is_unknown = relation in ORDERINGS and isinstance(value, bool)
                if self.kinds != {kind_of(value)} or is_unknown:
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

    def decides(self, test: Condition) -> bool:
        """Return whether a test of the name is true or false, but not unknown."""
        match test:
            case Exists() | Not(Exists()):
                return True
            case Comparison(_, relation, Constant(value)):
                ordered = relation not in ORDERINGS or self.is_ordered  # else NaN is unknown
                return self.kinds == {kind_of(value)} and ordered
            case Among(_, constants):
                return len(self.kinds) == 1 and self.kinds == {
                    kind_of(constant.value) for constant in constants
                }
            case Affixed() | Like() | Not(Affixed() | Like()):
                return self.kinds == {"string"}
        return False

    @property
    def is_ordered(self) -> bool:
        """Whether values of its kind are ordered, which NaN and booleans are not."""
        bounded = self.interval.low is not None or self.interval.high is not None
        named = self.values is not None and "boolean" not in self.kinds
        return self.kinds == {"string"} or bounded or named

    def compared(self, relation: Relation, value: Value) -> None:
        """Add that a comparison with a value of the same kind is true."""
        if relation == "=":
            self._only(frozenset((_key(value),)))
        elif relation == "<>":
            self.excluded |= {_key(value)}
        else:
            self.interval = self.interval.narrowed(relation, value)

    def matched(self, pattern: Wildcard) -> None:
        """Add that the value, a string, matches a pattern."""
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
