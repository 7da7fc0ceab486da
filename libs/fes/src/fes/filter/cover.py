"""Covering: whether one filter accepts at least what another does."""

from typing import Final

from fes.filter.alternatives import alternatives
from fes.filter.facts import Facts
from fes.filter.normal import normalise
from fes.filter.tree import Condition

MAX_ALTERNATIVES: Final = 64
"""Alternatives of the covered filter that are told apart; beyond, only what they share counts."""


def covers(wider: Condition, narrower: Condition) -> bool:
    """Tell whether `wider` is true of every event that `narrower` is true of.

    Returns:
        True only where it is certain. False where it is not, or where this function does not
        see it: calculations, two names compared, intervals that only together cover a third.

    Source:
        design, section 5.3; Carzaniga, Rosenblum, Wolf: Design and Evaluation of a Wide-Area
        Event Notification Service, section 3.
    """
    wanted, given = normalise(wider), normalise(narrower)
    if wanted == given:
        return True
    found, _ = alternatives(given, MAX_ALTERNATIVES)
    return all(Facts(tests).implies(wanted) for tests in found)
