"""What a conjunction of tests implies about each name in it, and what follows from that."""

from collections.abc import Iterable

from fes.filter.algebra.fact import Fact
from fes.filter.algebra.simple import reference_of, references_in
from fes.filter.language.tree import (
    And,
    Condition,
    IsTrue,
    Not,
    Or,
    Reference,
    Subject,
    Truth,
    Within,
)
from fes.filter.place import encloses, is_apart


class Facts:
    """What a conjunction implies about every name in it.

    Args:
        tests: The conjunction, in normal form; disjunctions in it are not split.
    """

    def __init__(self, tests: Iterable[Condition]) -> None:
        self.tests = frozenset(tests)
        self.of: dict[Reference, Fact] = {}
        for test in self.tests:
            self._add(test)
        self.possible = Truth(value=False) not in self.tests and all(
            fact.possible() for fact in self.of.values()
        )

    def implies_alone(self, condition: Condition) -> bool:
        """Return whether a condition in normal form must be true; never wrongly True.

        Alternatives in it are examined one by one: see `fes.filter.algebra.together`.
        """
        if not self.possible or condition in self.tests:
            return True
        match condition:
            case And(items):
                return all(self.implies_alone(item) for item in items)
            case Or(items):
                return any(self.implies_alone(item) for item in items)
            case Not(IsTrue(item)):
                return not Facts((*self.tests, item)).possible
            case Within() | Not(Within()):
                return any(_places(test, condition) for test in self.tests)
        return self._implies_test(condition)

    def _implies_test(self, test: Condition) -> bool:
        if isinstance(test, Truth):
            return test.value
        reference = reference_of(test)
        fact = self.of.get(reference) if reference is not None else None
        return fact is not None and fact.implies(test)

    def decides(self, test: Condition) -> bool:
        """Return whether a test is true or false, but not unknown, for an event as known."""
        if isinstance(test, Truth | IsTrue | Not) and _is_definite(test):
            return True
        reference = reference_of(test)
        fact = self.of.get(reference, Fact()) if reference is not None else None
        return fact is not None and fact.decides(test)

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


def _is_definite(test: Truth | IsTrue | Not) -> bool:
    return isinstance(test, Truth | IsTrue) or isinstance(test.item, IsTrue)


def _places(known: Condition, wanted: Condition) -> bool:
    """Return whether a position that fulfils one test certainly fulfils another."""
    match wanted, known:
        case Within() as disc, Within() as inner:
            return encloses(disc, inner)
        case Not(Within() as disc), Within() as other:
            return is_apart(disc, other)
        case Not(Within() as disc), Not(Within() as outer):
            return encloses(outer, disc)
    return False
