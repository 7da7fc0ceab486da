"""Filters of the federation as ETCL constraints, which accept at least the same events.

An error, such as a missing property or one of another type, makes a whole constraint false. So each
alternative of a filter is a constraint of its own: a filter object accepts an event for which one
of them is true. Within an alternative every test must be true anyway.

Source:
    OMG Notification Service 1.1, section 2.4; Trading Object Service, appendix B.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from eventservices.cns import ANY_TYPE, EventType
from eventservices.cns.etcl import component_text, literal
from eventservices.cns.etcl.scan import DEFAULT_LIMITS
from eventservices.cns.etcl.tree import Component, Member, Named
from eventservices.cns.event_type import canonical
from fes.filter import Filter, Term, translate
from fes.filter.algebra.cover import Extent
from fes.filter.algebra.interval import Interval
from fes.mapping import Mapping

from adapter_cns import qos
from adapter_cns.codec import BODY, DOMAIN_NAME, EVENT_NAME, TYPE_NAME
from adapter_cns.event_types import EventTypes
from adapter_cns.settings import Settings

MAX_ALTERNATIVES: Final = 16
"""Most constraints for one filter; more alternatives are widened to what they have in common."""

TOO_LONG: Final = "a constraint would be too long: every event of the types passes"

_RELATIONS: Final = {"=": "==", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_CONVERTED: Final = frozenset((*qos.IN, *qos.OUT, DOMAIN_NAME, EVENT_NAME, TYPE_NAME))
_FIXED: Final = (Member("header"), Member("fixed_header"))
_TYPE: Final = Component(None, (*_FIXED, Member("event_type"), Member("type_name")))
_DATA: Final[tuple[Member, ...]] = (Member("filterable_data"),)
_HEADER: Final[tuple[Member, ...]] = (Member("header"), Member("variable_header"))
_EVENT: Final = Component(None, (*_FIXED, Member("event_name")))


@dataclass(frozen=True, slots=True)
class Constraints:
    """The content of a filter object with which at least what a filter accepts passes.

    Attributes:
        types: Event types of structured events to subscribe to.
        texts: Constraints on structured events, one of which must be true.
        anys: Whether all Any events pass too.
        widened: Descriptions of what passes beyond the filter.
    """

    types: frozenset[EventType]
    texts: tuple[str, ...]
    anys: bool
    widened: tuple[str, ...]

    @property
    def expressions(self) -> tuple[tuple[frozenset[EventType], str], ...]:
        """The constraint expressions of a filter object; none where nothing may pass."""
        of_events = [(self.types, text) for text in self.texts if self.types]
        return (*of_events, *([(frozenset({ANY_TYPE}), "")] if self.anys else []))


class ConstraintMapping:
    """Translates filters for one adapter.

    Args:
        given: The adapter's settings.
        mapping: Between native events and the federation's; it is inverted.
    """

    def __init__(self, given: Settings, mapping: Mapping) -> None:
        self._subject = _EVENT if given.subject == "event_name" else _TYPE
        self._mapping = mapping
        self._types = EventTypes(given, mapping)
        self._has_anys = bool(given.any_subject) or any(
            rule.native_subject is None and rule.rule.direction != "out" for rule in mapping.rules
        )

    def translate(self, filter_: Filter) -> Constraints:
        """Return the constraints for a filter.

        Law: whatever a native event becomes, where the filter accepts it, it is of one of the
        types and one of the constraints is true, or it is an Any event and those pass.
        """
        needed = self._types.needed(filter_)
        any_type = canonical(ANY_TYPE)
        found = translate(filter_.tree, _Words(self._mapping, Extent(filter_.tree).subject))
        widened = list(found.widened)
        texts = tuple(dict.fromkeys(self._text(terms) for terms in found.disjuncts))
        if any(len(text.encode()) > DEFAULT_LIMITS.length_bytes for text in texts):
            texts = ("",)
            widened.append(TOO_LONG)
        types = needed - {any_type}
        all_wanted = any(map(_is_all, types))
        anys = self._has_anys and (any_type in needed or all_wanted)
        return Constraints(types, texts if types else (), anys, tuple(widened))

    def _text(self, terms: tuple[Term, ...]) -> str:
        return " and ".join(_test(term, self._component(term)) for term in terms)

    def _component(self, term: Term) -> str:
        if term.kind == "subject":
            return component_text(self._subject)
        place = _HEADER if term.kind == "attribute" else _DATA
        return component_text(Component(None, (*place, Named(term.name))))


@dataclass(frozen=True, slots=True)
class _Words:
    """The tests of a filter that ETCL can express; its only subject, if that is known."""

    mapping: Mapping
    subject: str | None
    max_disjuncts: int = MAX_ALTERNATIVES

    def supports(self, term: Term) -> bool:
        """Return whether ETCL can express a term for a structured event."""
        if term.kind != "subject" and not term.name[:1].isalpha():
            return False  # tags of unions begin with "_"
        if term.kind == "parameter" and term.name == BODY:
            return False  # it is in the body, or in the filterable data
        if term.kind == "attribute" and term.name in _CONVERTED:
            return False
        if term.op == "IN":
            return len({isinstance(value, str) for value in term.value}) == 1
        return term.op in _WRITERS or term.op in _RELATIONS

    def rename(self, term: Term) -> Term | None:
        """Return the term for native events."""
        return self.mapping.native_terms(term, self.subject)


def _is_all(event_type: EventType) -> bool:
    return event_type.type_name in ("*", "%ALL", "")


def _test(term: Term, component: str) -> str:
    relation = _RELATIONS.get(term.op)
    if relation is not None:
        return f"{component} {relation} {literal(term.value)}"
    return _WRITERS[term.op](component, term.value)


def _among(component: str, values: tuple[Any, ...]) -> str:
    return "(" + " or ".join(f"{component} == {literal(value)}" for value in values) + ")"


def _starting(component: str, text: str) -> str:
    low, high = f"{component} >= {literal(text)}", _after(text)
    return low if high is None else f"({low} and {component} < {literal(high)})"


def _not_starting(component: str, text: str) -> str:
    low, high = f"{component} < {literal(text)}", _after(text)
    return low if high is None else f"({low} or {component} >= {literal(high)})"


def _after(text: str) -> str | None:
    """Return the first string after all that start with a text."""
    high: str | None = Interval().starting_with(text).high
    return high


_WRITERS: Final[dict[str, Callable[[str, Any], str]]] = {
    "IN": _among,
    "EXISTS": lambda component, _: f"exist {component}",
    "NOT EXISTS": lambda component, _: f"not exist {component}",
    "CONTAINS": lambda component, text: f"{literal(text)} ~ {component}",
    "NOT CONTAINS": lambda component, text: f"not ({literal(text)} ~ {component})",
    "STARTS WITH": _starting,
    "NOT STARTS WITH": _not_starting,
}
