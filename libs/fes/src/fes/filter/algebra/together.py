"""Whether one of several conditions is true wherever a conjunction is, though none always is.

Case by case: an event that fulfils the conjunction and not the first condition must fulfil one of
the others.
"""

from collections.abc import Iterator
from typing import Final

from fes.filter.algebra.facts import Facts
from fes.filter.algebra.normal import normalise
from fes.filter.algebra.weaken import truths
from fes.filter.language.tree import Condition, conjuncts

MAX_CASES: Final = 64
"""Most cases that are examined; with more, the result is `False`."""


def together(facts: Facts, items: tuple[Condition, ...]) -> bool:
    """Return whether one of several conditions must be true; never wrongly True.

    Args:
        facts: What is known of an event.
        items: In normal form.
    """
    return _Cases().closed(facts, items)


class _Cases:
    def __init__(self) -> None:
        self._left = MAX_CASES

    def closed(self, facts: Facts, items: tuple[Condition, ...]) -> bool:
        """Return whether every event as known fulfils one of the items."""
        self._left -= 1
        if self._left < 0:
            return False
        if any(facts.implies_alone(item) for item in items):
            return True
        if len(items) < 2:
            return False
        first, others = items[0], items[1:]
        return all(self.closed(known, others) for known in _without(facts, first))


def _without(facts: Facts, item: Condition) -> Iterator[Facts]:
    """Yield what is known in each case in which an item is not true."""
    for test in conjuncts(item):
        if facts.implies_alone(test):
            continue
        if not facts.decides(test):
            yield facts
            return
        yield Facts((*facts.tests, truths(normalise(test, positive=False))))
