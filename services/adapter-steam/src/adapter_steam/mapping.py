"""Filters as STEAM subscriptions: a subject, and a conjunction of terms on its parameters."""

from dataclasses import dataclass

from eventservices.steam import Term as NativeTerm
from eventservices.steam import between
from eventservices.steam.content import MAX_TERMS
from eventservices.steam.event import MAX_NAME
from fes.adapter.native_form import NativeForm
from fes.errors import AdapterError
from fes.filter import Filter, Term, translate
from fes.filter.language.tree import Comparison, Constant, Subject, all_of
from fes.mapping import Mapping
from fes.mapping.named import named_subjects, rules_for

MAX_ALTERNATIVES = 16
"""Most native subscriptions for one subject; more are widened to what they have in common."""

_ORDERED = ("=", "<", "<=", ">", ">=")


@dataclass(frozen=True, slots=True)
class Wanted:
    """One native subscription.

    Attributes:
        subject: Subject of native events.
        terms: Terms that must all be true; without terms it accepts everything.
    """

    subject: str
    terms: tuple[NativeTerm, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The native subscriptions that together accept at least what a filter accepts.

    Attributes:
        wanted: The subscriptions, each once; none at all where the filter accepts nothing.
        widened: Descriptions of what they accept beyond it; empty where they are exact.
    """

    wanted: tuple[Wanted, ...]
    widened: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """The vocabulary of STEAM for a filter whose subject is known.

    Attributes:
        mapping: The mapping, which is inverted.
        subject: The only subject that the filter accepts.
        max_disjuncts: Most native subscriptions.
    """

    mapping: Mapping
    subject: str
    max_disjuncts: int = MAX_ALTERNATIVES

    def supports(self, term: Term) -> bool:
        """Return whether STEAM applies a term, in its own names."""
        if term.kind == "subject":
            return term.op == "="
        if term.kind == "attribute" or not 0 < len(term.name) <= MAX_NAME:
            return False
        return term.op == "=" if isinstance(term.value, bool) else term.op in _ORDERED

    def rename(self, term: Term) -> Term | None:
        """Return the native term; the subject is mapped separately, since it may have several."""
        return term if term.kind == "subject" else self.mapping.native_terms(term, self.subject)


def plan(filter_: Filter, mapping: Mapping) -> Plan:
    """Return the native subscriptions for a filter.

    Raises:
        AdapterError: The filter does not name its subjects, so that no native subscription would be
            wide enough; or it names a reserved one.
        AdapterError: It names one that STEAM cannot express.
    """
    wanted: dict[Wanted, None] = {}
    widened: dict[str, None] = {}
    for subject in named_subjects(filter_, "STEAM")[0]:
        natives = native_subjects(mapping, subject)
        tree = all_of((filter_.tree, Comparison(Subject(), "=", Constant(subject))))
        translation = translate(tree, Words(mapping, subject))
        widened.update(dict.fromkeys(translation.widened))
        for disjunct in translation.disjuncts:
            terms, cut = _native(disjunct)
            if cut:
                widened[f"more than {MAX_TERMS} terms: the rest is not applied"] = None
            wanted.update(dict.fromkeys(Wanted(native, terms) for native in natives))
    return Plan(tuple(wanted), tuple(widened))


def native_form(filter_: Filter, mapping: Mapping) -> NativeForm:
    """Return the form of a filter at STEAM; see `fes.adapter.native_form`."""
    planned = plan(filter_, mapping)
    lines = [
        " and ".join([f"subject {each.subject!r}", *map(_shown, each.terms)])
        for each in planned.wanted
    ]
    return NativeForm(tuple(lines), planned.widened)


def _shown(term: NativeTerm) -> str:
    upper = f" to {term.upper!r}" if term.operator == "range" else ""
    return f"{term.parameter} {term.operator} {term.value!r}{upper}"


def native_subjects(mapping: Mapping, subject: str) -> tuple[str, ...]:
    """Return the native subjects whose events can become events of a subject.

    Raises:
        AdapterError: There is none.
    """
    rules, automatic = rules_for(mapping, subject)
    natives = (rule.native_subject for rule in rules)
    found = dict.fromkeys(native for native in natives if native is not None)
    if automatic:
        found[subject] = None
    if not found:
        raise AdapterError(f"no rule makes events of subject {subject[:100]!r} of STEAM's")
    return tuple(found)


def _native(disjunct: tuple[Term, ...]) -> tuple[tuple[NativeTerm, ...], bool]:
    """Return a conjunction in STEAM's terms, and whether some had to be left out."""
    terms = [NativeTerm(term.name, term.op, term.value) for term in disjunct if term.name]  # type: ignore[arg-type]  # only operators that `supports` lets through
    joined = _with_ranges(terms)
    return tuple(joined[:MAX_TERMS]), len(joined) > MAX_TERMS


def _with_ranges(terms: list[NativeTerm]) -> list[NativeTerm]:
    """Return terms with `>=` and `<=` on one parameter as a range."""
    lows = {term.parameter: term for term in terms if term.operator == ">="}
    highs = {term.parameter: term for term in terms if term.operator == "<="}
    joined = []
    for term in terms:
        low, high = lows.get(term.parameter), highs.get(term.parameter)
        if low is None or high is None or not _alike(low.value, high.value):
            joined.append(term)
        elif term is low:
            joined.append(between(term.parameter, low.value, high.value))
        elif term is not high:
            joined.append(term)
    return joined


def _alike(low: object, high: object) -> bool:
    return isinstance(low, str) == isinstance(high, str)
