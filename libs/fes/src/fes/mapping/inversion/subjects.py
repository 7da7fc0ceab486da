"""The native events that a filter can match: their subjects, or their CAN identifiers.

A topic-based service, or a bus of identifiers, can apply only the part of a filter about the
subject.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from fes.errors import MappingError
from fes.filter import Condition, Operators, Term, translate
from fes.filter.language.patterns import wildcard_of
from fes.filter.language.tree import AFFIXES, Affixed, Like, Subject
from fes.mapping.apply import CanKey, Mapping
from fes.wildcard import Wild, Wildcard

MAX_ALTERNATIVES: Final = 64
"""Most subjects, or patterns of subjects, of one filter; more are widened to what they have in
common."""

_NARROWEST: Final = ("=", "LIKE", *AFFIXES)
_VOCABULARY: Final = Operators(subject=_NARROWEST, max_disjuncts=MAX_ALTERNATIVES)
_ANY: Final = Wildcard.of((Wild.RUN,))


@dataclass(frozen=True, slots=True)
class Wanted:
    """The native events that contain at least all that a filter accepts.

    Attributes:
        subjects: Patterns of native subjects, each once; none where no event with a subject is
            needed.
        frames: CAN identifiers, each with whether it has 29 bits.
        widened: Descriptions of what of the filter they do not apply.
    """

    subjects: tuple[Wildcard, ...]
    frames: frozenset[CanKey]
    widened: tuple[str, ...]


def wanted(tree: Condition, mapping: Mapping) -> Wanted:
    """Return the subjects and identifiers of native events that a filter can accept.

    Law: whatever a native event becomes, where the filter accepts it, its subject matches one of
    the patterns, or its identifier is among the frames.
    """
    found = translate(tree, _VOCABULARY)
    patterns = [_pattern(terms) for terms in found.disjuncts]
    subjects: dict[Wildcard, None] = {}
    frames: set[CanKey] = set()
    for pattern in patterns:
        if mapping.automatic:
            subjects[_renamed(pattern, mapping)] = None
        for rule in mapping.rules:
            if rule.rule.direction == "out" or not pattern.matches(rule.rule.subject):
                continue
            if rule.can_id is not None:
                frames.add((rule.can_id, rule.extended))
            elif rule.native_subject is not None:
                subjects[Wildcard.of(rule.native_subject)] = None
    return Wanted(tuple(_needed(subjects)), frozenset(frames), found.widened)


def _pattern(terms: Iterable[Term]) -> Wildcard:
    """Return the narrowest pattern of a conjunction of tests of the subject."""
    best = min(terms, key=lambda term: _NARROWEST.index(term.op), default=None)
    match best:
        case Term(op="=", value=str(text)):
            return Wildcard.of(text)
        case Term(op="LIKE", value=(str(pattern), str(escape))):
            return wildcard_of(Like(Subject(), pattern, escape))
        case Term(op="STARTS WITH" | "ENDS WITH" | "CONTAINS" as affix, value=str(text)):
            return wildcard_of(Affixed(Subject(), affix, text))
    return _ANY


def _renamed(pattern: Wildcard, mapping: Mapping) -> Wildcard:
    """Return the native subjects that become what a pattern matches, where no rule applies."""
    names = mapping.names
    if names is None or not names.rule.subjects:
        return pattern
    plain = "".join(element for element in pattern.elements if isinstance(element, str))
    if len(plain) < len(pattern.elements) or names.rule.case != "keep":
        return _ANY
    try:
        return Wildcard.of(names.subject_out(plain))
    except MappingError:
        return _ANY


def _needed(patterns: Iterable[Wildcard]) -> Iterator[Wildcard]:
    """Yield the patterns that no other covers."""
    kept: list[Wildcard] = []
    for pattern in patterns:
        if any(other.covers(pattern) for other in kept):
            continue
        kept = [other for other in kept if not pattern.covers(other)]
        kept.append(pattern)
    yield from kept
