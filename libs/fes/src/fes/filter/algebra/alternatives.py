"""A filter as a bounded number of alternatives, each a conjunction of tests."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from fes.filter.algebra.fact import Fact
from fes.filter.algebra.facts import Facts
from fes.filter.algebra.interval import Interval
from fes.filter.language.tree import (
    Among,
    And,
    Comparison,
    Condition,
    Constant,
    Exists,
    Or,
    Reference,
    Relation,
    Subject,
    Truth,
)

Tests = tuple[Condition, ...]
Allowed = Callable[[Condition], bool]

MAX_VALUES: Final = 1000
"""Most constants of an IN that replaces several alternatives."""


def alternatives(
    tree: Condition, limit: int, allowed: Allowed = lambda _: True
) -> tuple[tuple[Tests, ...], bool]:
    """Return conjunctions one of which is true wherever `tree` is.

    Args:
        tree: In normal form.
        limit: Most alternatives, at least 1; where more are needed, some are replaced by what they
            have in common.
        allowed: Returns whether a test may express what alternatives have in common.

    Returns:
        The alternatives, none of which another covers: none at all where the filter is never true,
        an empty one where it accepts everything; and whether any were replaced.
    """
    splitter = _Splitter(limit, allowed)
    found = splitter.split(tree)
    return tuple(without_covered(found)), splitter.widened


def without_covered(found: Sequence[Tests]) -> list[Tests]:
    """Return the alternatives without those that have all the tests of another."""
    kept: list[frozenset[Condition]] = []
    for tests in sorted(dict.fromkeys(found), key=len):
        asked = frozenset(tests)
        if not any(other <= asked for other in kept):
            kept.append(asked)
    order = {frozenset(tests): tests for tests in found}
    return [order[asked] for asked in kept]


class _Splitter:
    def __init__(self, limit: int, allowed: Allowed) -> None:
        self._limit = max(1, limit)
        self._allowed = allowed
        self.widened = False

    def split(self, tree: Condition) -> list[Tests]:
        """Return the alternatives of a condition, no more than the limit."""
        match tree:
            case Truth(value):
                return [()] if value else []
            case Or(items):
                return self._within([tests for item in items for tests in self.split(item)])
            case And(items):
                return self._product([self.split(item) for item in items])
        return [(tree,)]

    def _product(self, factors: list[list[Tests]]) -> list[Tests]:
        if not all(factors):
            return []
        product: list[Tests] = [()]
        single = [factor[0] for factor in factors if len(factor) == 1]
        for factor in sorted((each for each in factors if len(each) > 1), key=len):
            if len(product) * len(factor) > self._limit and len(product) > 1:
                single.extend(self._within(factor, 1))
            else:
                product = _possible([_joined(one, other) for one in product for other in factor])
        return _possible([_joined(*single, tests) for tests in product])

    def _within(self, found: list[Tests], limit: int = 0) -> list[Tests]:
        possible = without_covered(_possible(found))
        if len(possible) <= (limit or self._limit):
            return possible
        self.widened = True
        return [shared(possible, self._allowed)]


def _possible(found: list[Tests]) -> list[Tests]:
    return [tests for tests in found if Facts(tests).possible]


def _joined(*parts: Tests) -> Tests:
    return tuple(dict.fromkeys(test for tests in parts for test in tests))


def shared(found: Sequence[Tests], allowed: Allowed) -> Tests:
    """Return tests that are true wherever one of several conjunctions is."""
    facts = [Facts(tests) for tests in found]
    common = [test for test in found[0] if all(each.implies_alone(test) for each in facts)]
    for reference in facts[0].of:
        known = [each.of[reference] for each in facts if reference in each.of]
        if len(known) == len(facts):
            common.extend(_around(reference, known, allowed))
    return needed(test for test in common if allowed(test))


def _around(reference: Reference, facts: list[Fact], allowed: Allowed) -> Iterable[Condition]:
    """Yield the values, the interval and the existence that several facts have in common."""
    if not all(fact.present for fact in facts):
        return
    values = {value for fact in facts for value in fact.values or ()}
    if all(fact.values is not None for fact in facts) and len(values) <= MAX_VALUES:
        listed = _one_of(reference, [Constant(value) for _, value in sorted(values, key=repr)])
        if allowed(listed):
            yield listed
            return
    kinds = {kind for fact in facts for kind in fact.kinds}
    if len(kinds) == 1 and all(fact.kinds for fact in facts):
        yield from _ends(reference, [_extent(fact) for fact in facts])
    if not isinstance(reference, Subject):
        yield Exists(reference)


def _one_of(reference: Reference, values: list[Constant]) -> Condition:
    if len(values) == 1:
        return Comparison(reference, "=", values[0])
    return Among(reference, tuple(values))


def _extent(fact: Fact) -> Interval:
    if fact.values is None or any(isinstance(value, bool) for _, value in fact.values):
        return fact.interval
    values = [value for kind, value in fact.values if kind in fact.kinds]
    return Interval(min(values), True, max(values), True) if values else fact.interval


def _ends(reference: Reference, intervals: list[Interval]) -> Iterable[Condition]:
    around = intervals[0]
    for interval in intervals[1:]:
        around = around.hull(interval)
    low: Relation = ">=" if around.low_closed else ">"
    high: Relation = "<=" if around.high_closed else "<"
    if around.low is not None:
        yield Comparison(reference, low, Constant(around.low))
    if around.high is not None:
        yield Comparison(reference, high, Constant(around.high))


def needed(tests: Iterable[Condition]) -> Tests:
    """Return tests without each one that follows from the others."""
    kept = list(dict.fromkeys(tests))
    for test in tuple(kept):
        others = [other for other in kept if other != test]
        if Facts(others).implies_alone(test):
            kept = others
    return tuple(kept)
