"""The filter of a native client as a filter on the federation's events.

For subscriptions that an adapter observes: the opposite direction of filters that an adapter
applies natively; the result never accepts less than the native client would.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from msgspec import UNSET

from fes.errors import MappingError
from fes.filter import Condition, Operators, compile_filter, translate
from fes.filter.algebra.normal import normalise
from fes.filter.algebra.rename import EVERYTHING, renamed
from fes.filter.algebra.simple import names_in
from fes.filter.language.explain import shortened
from fes.filter.language.tree import (
    And,
    Attribute,
    Comparison,
    Constant,
    IsTrue,
    Not,
    Or,
    Parameter,
    Reference,
    Subject,
    Truth,
    all_of,
    any_of,
)
from fes.mapping.apply import Mapping
from fes.mapping.fields.carry import Section
from fes.mapping.fields.convert import conversion_of
from fes.mapping.fields.names import Names
from fes.mapping.fields.paths import named_fields, native_end
from fes.mapping.inversion.unscaled import unscaled
from fes.mapping.rules.compiled import Compiled
from fes.mapping.rules.model import FieldRule
from fes.model import Event

NOTHING: Final = Truth(value=False)
"""The filter where no event of the federation becomes one that the native filter accepts."""

_SUBJECTS: Final = Operators(subject=("=",), max_disjuncts=64)


@dataclass(frozen=True, slots=True)
class Asked:
    """The request that a native filter results in.

    Attributes:
        tree: In normal form.
        widened: Descriptions of what of the native filter it does not express.
    """

    tree: Condition
    widened: tuple[str, ...]


def asked_for(native: Condition, mapping: Mapping) -> Asked:
    """Return a filter that accepts at least all events of the federation that a native one needs.

    Law, for every event e and every native event n that the mapping makes from e: where the native
    filter is true for n, the filter is true for e.

    Args:
        native: For native events, in the neutral form that the mapping accepts.
        mapping: Between native events and the federation's.
    """
    tree, lost = normalise(native), dict[str, None]()
    outward = [rule for rule in mapping.rules if rule.rule.direction != "in"]
    ways = [_by_rule(rule, tree, mapping.names, lost) for rule in outward]
    if mapping.automatic:
        ways.append(_by_itself(outward, tree, mapping.names, lost))
    told = [f"{shortened(test)} is not requested: the mapping cannot invert it" for test in lost]
    return Asked(normalise(any_of(tuple(ways))), tuple(told))


def subjects_of(tree: Condition) -> frozenset[str] | None:
    """Return the only subjects that a filter accepts; None where it accepts any, or too many."""
    disjuncts = translate(tree, _SUBJECTS).disjuncts
    if not all(disjuncts):
        return None
    return frozenset(str(term.value) for terms in disjuncts for term in terms)


def _by_rule(
    rule: Compiled, tree: Condition, names: Names | None, lost: dict[str, None]
) -> Condition:
    """Return the part of the request for events that a rule makes native."""
    of_rule = normalise(_with_subject(tree, rule.native_subject))
    if of_rule == NOTHING:
        return NOTHING
    subject = Comparison(Subject(), "=", Constant(rule.rule.subject))
    way = _RuleWay(rule, names)
    return all_of((subject, renamed(of_rule, way, lost, way.unscaled)))


def _by_itself(
    outward: Iterable[Compiled], tree: Condition, names: Names | None, lost: dict[str, None]
) -> Condition:
    """Return the part of the request for events that no rule makes native."""
    found = normalise(renamed(_subject_in(tree, names), _OwnWay(names), lost))
    pinned = subjects_of(found)
    is_ruled = pinned is not None and pinned <= {rule.rule.subject for rule in outward}
    return NOTHING if is_ruled else found


def _with_subject(tree: Condition, subject: str | None) -> Condition:
    """Return a tree in normal form with its tests of the subject evaluated; None matches none."""
    match tree:
        case And(items) | Or(items):
            return replace(tree, items=tuple(_with_subject(item, subject) for item in items))
    if not _is_about_subject(tree):
        return tree
    return Truth(value=subject is not None and compile_filter(tree)(Event(subject)) is True)


def _subject_in(tree: Condition, names: Names | None) -> Condition:
    """Return a tree in normal form with the federation's subject where one is named."""
    if names is None or not names.rule.subjects:
        return tree
    match tree:
        case And(items) | Or(items):
            return replace(tree, items=tuple(_subject_in(item, names) for item in items))
        case Comparison(Subject(), "=", Constant(str(native))):
            try:
                return replace(tree, right=Constant(names.subject_in(native)))
            except MappingError:
                return NOTHING
    return EVERYTHING if _is_about_subject(tree) else tree


def _is_about_subject(test: Condition) -> bool:
    """Return whether a test in normal form is about the subject only."""
    inner: Condition = test
    while isinstance(inner, Not | IsTrue):
        inner = inner.item
    return names_in(inner) == (Subject(),)


@dataclass(frozen=True, slots=True)
class _OwnWay:
    """The names of events that no rule makes native."""

    names: Names | None

    def __call__(self, native: Reference, presence: bool) -> Reference | None:  # noqa: FBT001 - a `Way` is called by position
        del presence
        return native if isinstance(native, Subject) else _inward(self.names, native)


@dataclass(frozen=True, slots=True)
class _RuleWay:
    """The names of events that a rule makes native."""

    rule: Compiled
    names: Names | None

    def __call__(self, native: Reference, presence: bool) -> Reference | None:  # noqa: FBT001 - a `Way` is called by position
        if isinstance(native, Subject) or self.rule.plugin or self.rule.frame:
            return None
        named_by = self._named(native)
        if named_by is not None:
            reference, each = named_by
            return reference if _keeps(each, presence=presence) else None
        rule, section = self.rule.rule, _section(native)
        found = _inward(self.names, native) if rule.passes_rest else None
        named = rule.parameters if section == "parameter" else rule.attributes
        return None if found is None or found.name in named else found

    def unscaled(self, test: Condition) -> Condition | None:
        """Return what replaces a comparison with a number that the rule calculates."""
        match test:
            case Comparison(Parameter() | Attribute() as native, relation, Constant(value)):
                found = self._named(native)
                if found is None or isinstance(value, str | bool):
                    return None
                reference, each = found
                return unscaled(each, reference, relation, value)
        return None

    def _named(self, native: Parameter | Attribute) -> tuple[Reference, FieldRule] | None:
        """Return the field from which the rule makes a native field; None where it names none."""
        if self.rule.plugin or self.rule.frame:
            return None
        end = _section(native), native.name
        for section, name, each in named_fields(self.rule.rule):
            if native_end(section, name, each, self._outward) == end:
                return _reference(section, name), each
        return None

    def _outward(self, name: str) -> str:
        return self.names.outward(name) if self.names else name


def _keeps(each: FieldRule, *, presence: bool) -> bool:
    """Return whether a native field keeps the federation's value, or at least its presence."""
    if each.constant is not UNSET or each.default is not UNSET:
        return False
    return presence or conversion_of(each).is_identity


def _inward(names: Names | None, native: Parameter | Attribute) -> Parameter | Attribute | None:
    try:
        return replace(native, name=names.inward(native.name)) if names else native
    except MappingError:
        return None


def _section(name: Parameter | Attribute) -> Section:
    return "parameter" if isinstance(name, Parameter) else "attribute"


def _reference(section: Section, name: str) -> Reference:
    return Parameter(name) if section == "parameter" else Attribute(name)
