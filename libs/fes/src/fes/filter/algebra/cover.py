"""Covering: whether one filter accepts at least what another does."""

from typing import Final

from fes.filter.algebra.alternatives import alternatives
from fes.filter.algebra.facts import Facts
from fes.filter.algebra.normal import normalise
from fes.filter.algebra.together import together
from fes.filter.algebra.weaken import truths
from fes.filter.language.tree import And, Condition, Or, Subject

MAX_ALTERNATIVES: Final = 64
"""Most alternatives of the covered filter that are distinguished; of more, only what they have in
common counts."""


class Extent:
    """What a filter accepts, in a form that can be compared with others.

    Args:
        tree: Any filter.

    Attributes:
        wanted: A condition that is true for the same events.
        given: What each of the filter's alternatives implies.
        subject: The only subject whose events it accepts; None where there may be several.
    """

    __slots__ = ("given", "subject", "wanted")

    def __init__(self, tree: Condition) -> None:
        self.wanted = truths(normalise(tree))
        found, _ = alternatives(self.wanted, MAX_ALTERNATIVES)
        self.given = tuple(Facts(tests) for tests in found)
        self.subject = _only_subject(self.given)

    def covers(self, narrower: "Extent") -> bool:
        """Return whether this filter is true for every event for which `narrower` is true.

        Returns:
            True only where it is certain. False where it is not, or is not recognised:
            calculations, two names compared, more cases than are examined.
        """
        if self.wanted == narrower.wanted:
            return True
        return all(_implies(facts, self.wanted) for facts in narrower.given)


def covers(wider: Condition, narrower: Condition) -> bool:
    """Return whether `wider` is true for every event for which `narrower` is true.

    Returns:
        As for `Extent.covers`.

    Source:
        design, section 5.3; Carzaniga, Rosenblum, Wolf: Design and Evaluation of a Wide-Area
        Event Notification Service, section 3.
    """
    return Extent(wider).covers(Extent(narrower))


def _implies(facts: Facts, wanted: Condition) -> bool:
    match wanted:
        case And(items):
            return all(_implies(facts, item) for item in items)
        case Or(items):
            return facts.implies_alone(wanted) or together(facts, items)
    return facts.implies_alone(wanted)


def _only_subject(given: tuple[Facts, ...]) -> str | None:
    facts = [found.of.get(Subject()) for found in given]
    keys = {key for fact in facts if fact is not None for key in fact.values or ()}
    if len(keys) != 1 or any(fact is None or fact.values is None for fact in facts):
        return None
    _, subject = keys.pop()
    return subject if isinstance(subject, str) else None
