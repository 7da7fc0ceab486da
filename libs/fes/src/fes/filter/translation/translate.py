"""Translation of a filter into what an event service can apply: the same events, or reported more.

Law: for every native event n, where the filter is true for the FES event that n maps to, the
    translation is true for n.
"""

from dataclasses import dataclass, field
from typing import Final

from fes.filter.algebra.alternatives import alternatives, needed
from fes.filter.algebra.normal import normalise
from fes.filter.algebra.simple import reference_of
from fes.filter.algebra.weaken import consequences, existence, same_otherwise, truths
from fes.filter.language.explain import shortened
from fes.filter.language.text import to_text
from fes.filter.language.tree import (
    Affixed,
    Among,
    And,
    Comparison,
    Condition,
    Constant,
    Like,
    Not,
    Or,
    Parameter,
    Reference,
    Subject,
    Truth,
    Value,
    Within,
    all_of,
    any_of,
    conjuncts,
)
from fes.filter.place import around
from fes.filter.translation.vocabulary import Kind, Term, Vocabulary

MAX_REASONS: Final = 32
"""Most widenings that are reported one by one."""

_EVERYTHING: Final = Truth(value=True)


@dataclass(frozen=True, slots=True)
class Translation:
    """A filter in the form that a service can apply.

    Attributes:
        disjuncts: Conjunctions, of which one must be true; an empty conjunction means everything,
            no conjunction at all means nothing.
        widened: Descriptions of what the service accepts beyond the filter, and why; empty where
            nothing had to be left out, though a mapping's inversion may still accept more.
    """

    disjuncts: tuple[tuple[Term, ...], ...]
    widened: tuple[str, ...]


def translate(tree: Condition, vocabulary: Vocabulary) -> Translation:
    """Return a filter in the vocabulary of an event service: it accepts the same events or more.

    Args:
        tree: From `parse`.
        vocabulary: Which terms the service applies, and how the mapping is inverted.

    Source:
        FES thesis, section 5.2.5: widening always, narrowing never; design, section 5.2.
    """
    words = _Words(vocabulary)
    found, limited = alternatives(
        words.express(truths(normalise(tree))), vocabulary.max_disjuncts, words.applies
    )
    if limited:
        words.reasons[
            f"more than {vocabulary.max_disjuncts} alternatives: widened to what they share"
        ] = None
    disjuncts = tuple(tuple(dict.fromkeys(map(words.native, tests))) for tests in found)
    return Translation(disjuncts, words.told())


def term_of(test: Condition) -> Term | None:
    """Return a test in normal form as a term; None where it is not one name against constants."""
    reference = reference_of(test)
    if reference is None:
        return None
    kind, name = _named(reference)
    match test:
        case Comparison(_, relation, Constant(value)):
            return Term(kind, name, relation, value)
        case Among(_, values):
            return Term(kind, name, "IN", tuple(constant.value for constant in values))
        case Not(item):
            op, text = _string_op(item)
            return Term(kind, name, f"NOT {op}", text)
    return Term(kind, name, *_string_op(test))


@dataclass(slots=True)
class _Words:
    """Finds the terms for the tests of one filter, and notes where there are none."""

    vocabulary: Vocabulary
    reasons: dict[str, None] = field(default_factory=dict)
    _terms: dict[Condition, Term] = field(default_factory=dict)

    def express(self, tree: Condition) -> Condition:
        """Return the part of a filter in normal form that the service applies."""
        match tree:
            case And(items):
                return all_of(tuple(self.express(item) for item in items))
            case Or(items):
                return any_of(tuple(self.express(item) for item in items))
            case Within():
                return self._boxes(tree)
        return tree if isinstance(tree, Truth) else self._test(tree)

    def applies(self, test: Condition) -> bool:
        """Return whether the service applies a test."""
        return not self._refusal(test)

    def native(self, test: Condition) -> Term:
        """Return the native term of a test that the service applies."""
        return self._terms[test]

    def told(self) -> tuple[str, ...]:
        """Return the widenings, the first of them one by one."""
        reasons = tuple(self.reasons)
        more = len(reasons) - MAX_REASONS
        return (*reasons[:MAX_REASONS], f"and {more} more") if more > 0 else reasons

    def _refusal(self, test: Condition) -> str:
        """Return why the service does not apply a test; "" where it does."""
        term = term_of(test)
        if term is None:
            return "it is not one name compared with constants"
        native = self.vocabulary.rename(term)
        if native is None:
            return f"the mapping of {_called(term)} cannot be inverted"
        if not self.vocabulary.supports(native):
            return f"the service does not apply {term.op} to {_called(term)}"
        self._terms[test] = native
        return ""

    def _same_otherwise(self, test: Condition) -> Condition | None:
        """Return an equivalent of a test that the service applies; None where there is none."""
        same = same_otherwise(test)
        parts = same.items if isinstance(same, And | Or) else ()
        return same if parts and all(map(self.applies, parts)) else None

    def _wider(self, test: Condition) -> Condition:
        """Return what follows from a test and is applied by the service."""
        if self.applies(test):
            return test
        whole = all_of(tuple(map(self._wider, consequences(test))))
        parts = [part for part in conjuncts(whole) if part != _EVERYTHING]
        return all_of(needed(parts or filter(self.applies, existence(test))))

    def _test(self, test: Condition) -> Condition:
        reason = self._refusal(test)
        if not reason:
            return test
        same = self._same_otherwise(test)
        if same is not None:
            return same
        applied = self._wider(test)
        self._note(test, applied, reason)
        return applied

    def _boxes(self, disc: Within) -> Condition:
        before = dict(self.reasons)
        applied = normalise(self.express(normalise(around(disc))))
        self.reasons = before  # the comparisons are made here, not by the client
        self._note(disc, applied, "latitude and longitude are compared one by one at most")
        return applied

    def _note(self, test: Condition, applied: Condition, reason: str) -> None:
        done = f"widened to {shortened(to_text(applied))}"
        if applied == _EVERYTHING:
            done = "not applied"
        self.reasons[f"{shortened(to_text(test))} is {done}: {reason}"] = None


def _named(reference: Reference) -> tuple[Kind, str]:
    if isinstance(reference, Subject):
        return "subject", ""
    return ("parameter" if isinstance(reference, Parameter) else "attribute"), reference.name


def _string_op(test: Condition) -> tuple[str, Value | tuple[str, str] | None]:
    match test:
        case Affixed(_, affix, text):
            return affix, text
        case Like(_, pattern, escape):
            return "LIKE", (pattern, escape)
    return "EXISTS", None


def _called(term: Term) -> str:
    return "the subject" if term.kind == "subject" else f"{term.kind} {term.name}"
