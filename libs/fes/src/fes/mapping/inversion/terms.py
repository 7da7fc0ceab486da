"""Inverts the terms of a filter through a mapping, for filters that a service applies itself."""

from collections.abc import Sequence
from typing import Final

from msgspec import UNSET

from fes.errors import MappingError
from fes.filter.translation.vocabulary import Term
from fes.mapping.fields.carry import Section
from fes.mapping.fields.convert import conversion_of
from fes.mapping.fields.names import Names
from fes.mapping.fields.paths import Rename, named_fields, native_end
from fes.mapping.inversion.invert import Inverse, inverse_of
from fes.mapping.rules.compiled import Compiled
from fes.mapping.rules.model import FieldRule, Rule

PRESENCE: Final = ("EXISTS", "NOT EXISTS")
"""Operators that conversions of the value do not affect."""


class Terms:
    """Inverts filter terms.

    Law, for every native event n and every event e that the mapping makes from it: where the term
    is true for e, the native term is true for n. Where cases are folded, it assumes a service that
    compares names without regard to case.

    Args:
        rules: All compiled rules.
        names: The name rule; None where every name passes unchanged.
        automatic: Whether events that no rule matches pass.
    """

    def __init__(self, rules: Sequence[Compiled], names: Names | None, *, automatic: bool) -> None:
        self._rules = tuple(rule for rule in rules if rule.rule.direction != "out")
        self._names = names
        self._automatic = automatic
        self._matched = {rule.native_subject for rule in self._rules}

    def native(self, term: Term, subject: str | None) -> Term | None:
        """Return the term on the native side that selects the same events or more.

        Args:
            term: On the FES side.
            subject: The only subject that the filter accepts, where that is known: the fewer rules
                can make it, the more terms have an inverse.

        Returns:
            None where there is no such term.
        """
        if term.kind == "subject":
            return self._subject_term(term)
        rules = [rule for rule in self._rules if subject in (None, rule.rule.subject)]
        ways = [_through(rule, term, self._names) for rule in rules]
        if self._passes(subject):
            ways.append(_renamed(term, self._names))
        return ways[0] if ways and all(way == ways[0] for way in ways) else None

    def _subject_term(self, term: Term) -> Term | None:
        if term.op == "=" and isinstance(term.value, str):
            found = self._native_subjects(term.value)
            return Term("subject", "", "=", found.pop()) if len(found) == 1 else None
        kept = all(rule.native_subject == rule.rule.subject for rule in self._rules)
        renamed = self._names is not None and self._names.rule.subjects
        return term if kept and not renamed else None

    def _native_subjects(self, subject: str) -> set[str | None]:
        found = {rule.native_subject for rule in self._rules if rule.rule.subject == subject}
        if self._passes(subject):
            found.add(self._native_subject(subject))
        return set() if None in found else found

    def _passes(self, subject: str | None) -> bool:
        """Return whether events of a subject can come without a rule."""
        if not self._automatic or subject is None:
            return self._automatic
        native = self._native_subject(subject)
        return native is not None and native not in self._matched

    def _native_subject(self, subject: str) -> str | None:
        try:
            return self._names.subject_out(subject) if self._names else subject
        except MappingError:
            return None


def _through(compiled: Compiled, term: Term, names: Names | None) -> Term | None:
    """Return the inverse of a term through one rule."""
    frame = compiled.frame
    if compiled.plugin or (frame and frame.selectors):
        return None
    rule = compiled.rule
    section = _section(term)
    fields = rule.parameters if section == "parameter" else rule.attributes
    field = fields.get(term.name)
    if field is not None:
        return _through_field(field, term, names)
    cells = frame.cell_ids(section) if frame else frozenset()
    if not rule.passes_rest or term.name in cells:
        return None
    passed = _renamed(term, names)
    return None if passed is None or _is_moved(passed, rule, names) else passed


def _through_field(field: FieldRule, term: Term, names: Names | None) -> Term | None:
    if field.is_laid_out or field.constant is not UNSET or field.default is not UNSET:
        return None
    section = _section(term)
    kind, name = native_end(section, term.name, field, _outward(names))
    conversion = conversion_of(field)
    if conversion.is_identity or term.op in PRESENCE:
        return Term(kind, name, term.op, term.value)
    inverse = inverse_of(conversion)
    return _inverted(inverse, Term(kind, name, term.op, term.value)) if inverse else None


def _inverted(inverse: Inverse, term: Term) -> Term | None:
    if term.op == "IN":
        found = [inverse.relation("=", value) for value in term.value if _is_number(value)]
        values = tuple(relation[1] for relation in found if relation)
        return Term(term.kind, term.name, "IN", values) if len(values) == len(term.value) else None
    if term.op not in ("=", "<>", "<", "<=", ">", ">=") or not _is_number(term.value):
        return None
    relation = inverse.relation(term.op, term.value)
    return Term(term.kind, term.name, *relation) if relation else None


def _section(term: Term) -> Section:
    return "attribute" if term.kind == "attribute" else "parameter"


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _renamed(term: Term, names: Names | None) -> Term | None:
    try:
        return Term(term.kind, _outward(names)(term.name), term.op, term.value)
    except MappingError:
        return None


def _is_moved(native: Term, rule: Rule, names: Names | None) -> bool:
    """Return whether the rule moves a native field, so that it does not pass."""
    ends = (native_end(*field, _outward(names)) for field in named_fields(rule))
    return any(end == (native.kind, native.name) for end in ends)


def _outward(names: Names | None) -> Rename:
    return names.outward if names else str
