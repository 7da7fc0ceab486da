"""Filters of the federation as SIENA filters, which accept at least the same events.

SIENA has conjunctions only: a filter with alternatives becomes several native ones.
"""

import collections.abc
from dataclasses import replace
from typing import Any, Final

from eventservices.siena import Constraint, Filter, Notification, Op, format_filter
from fes.adapter.native_form import NativeForm
from fes.adapter.settings import read_settings
from fes.errors import MappingError
from fes.filter import Condition, Operators, Term, translate
from fes.filter import Filter as FesFilter
from fes.mapping import Mapping

from adapter_siena.codec import SUBJECT
from adapter_siena.names import Names
from adapter_siena.settings import Settings

MAX_ALTERNATIVES: Final = 16
"""Most native filters for one filter; more are widened to what they have in common."""

_OPERATORS: Final = {
    "=": Op.EQ,
    "<>": Op.NE,
    "<": Op.LT,
    "<=": Op.LE,
    ">": Op.GT,
    ">=": Op.GE,
    "STARTS WITH": Op.PREFIX,
    "ENDS WITH": Op.SUFFIX,
    "CONTAINS": Op.SUBSTRING,
    "EXISTS": Op.ANY,
}
_SUBJECT_ONLY: Final = Operators(subject=("=",))


class FilterMapping:
    """Translates filters for one adapter.

    Args:
        mapping: Between native events and the federation's; it is inverted.
        names: The conversion of names.
        subject_attribute: Attribute with the subject of a notification without `FES_Subject`; ""
            for none.
    """

    def __init__(self, mapping: Mapping, names: Names, subject_attribute: str = "") -> None:
        self._mapping = mapping
        self._names = names
        self._subjects = (SUBJECT, subject_attribute) if subject_attribute else (SUBJECT,)

    def translate(self, tree: Condition) -> tuple[tuple[Filter, ...], tuple[str, ...]]:
        """Return native filters that together match all that the filter accepts.

        Args:
            tree: From `fes.filter.parse`.

        Returns:
            The filters, each once, and descriptions of what they accept beyond it.
        """
        subject = _only_subject(tree)
        words = Operators(
            subject=_OPERATORS,
            parameter=_OPERATORS,
            attribute=_OPERATORS,
            max_disjuncts=MAX_ALTERNATIVES // len(self._subjects),
            renaming=lambda term: self._renamed(term, subject),
        )
        found = translate(tree, words)
        filters = [
            Filter(tuple(_constraint(term, each) for term in terms))
            for terms in found.disjuncts
            for each in self._subjects
        ]
        return tuple(dict.fromkeys(filters)), found.widened

    def _renamed(self, term: Term, subject: str | None) -> Term | None:
        native = self._mapping.native_terms(term, subject)
        if native is None or native.kind == "subject":
            return native
        way = self._names.parameter if native.kind == "parameter" else self._names.attribute
        try:
            return replace(native, name=way(native.name))
        except MappingError:
            return None


def native_form(
    filter_: FesFilter, mapping: Mapping, given: collections.abc.Mapping[str, Any]
) -> NativeForm:
    """Return the SIENA form of a filter; see `fes.adapter.native_form`."""
    own = read_settings("siena", given, Settings)
    translator = FilterMapping(mapping, Names(own.substitute), own.subject_attribute)
    filters, widened = translator.translate(filter_.tree)
    return NativeForm(tuple(map(format_filter, filters)), widened)


def advertisement(notification: Notification) -> Filter:
    """Return the advertisement of notifications like one: with its subject and its names."""
    values = notification.attributes
    return Filter(
        tuple(
            Constraint(name, Op.EQ, value) if name == SUBJECT else Constraint(name, Op.ANY)
            for name, value in values.items()
        )
    )


def _constraint(term: Term, subject: str) -> Constraint:
    name = subject if term.kind == "subject" else term.name
    return Constraint(name, _OPERATORS[term.op], term.value)


def _only_subject(tree: Condition) -> str | None:
    """Return the only subject that a filter accepts; None where it accepts several, or any."""
    disjuncts = translate(tree, _SUBJECT_ONLY).disjuncts
    subjects = {term.value for terms in disjuncts for term in terms}
    if len(subjects) != 1 or not all(disjuncts):
        return None
    only = subjects.pop()
    return only if isinstance(only, str) else None
