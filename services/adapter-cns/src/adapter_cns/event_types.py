"""The event types that a filter needs: at least those of every native event it can accept.

Suppliers are notified of event types only, not of an event's content; see `constraints` for that.

Source:
    OMG Notification Service 1.1, section 2.2 (subscription_change).
"""

from collections.abc import Iterable
from typing import Final

from eventservices.cns import ALL_TYPES, ANY_TYPE, EventType
from eventservices.cns.errors import InvalidEventTypeError
from eventservices.cns.event_type import canonical
from fes.filter import Filter, Operators, Term, translate
from fes.mapping import Mapping
from fes.mapping.rules.compiled import Compiled

from adapter_cns.settings import Settings

MAX_ALTERNATIVES: Final = 64
ANYS: Final = "all Any events have one type: every Any event of the channel is received"

_NARROWEST: Final = ("=", "IN", "STARTS WITH", "ENDS WITH", "CONTAINS")
_VOCABULARY: Final = Operators(subject=_NARROWEST, max_disjuncts=MAX_ALTERNATIVES)
_ALL: Final = frozenset({ALL_TYPES})
_ANY: Final = canonical(ANY_TYPE)


class EventTypes:
    """Finds the event types that filters need.

    Args:
        settings: The adapter's settings.
        mapping: Its rules may make a subject from other native subjects, and from CAN frames.
    """

    def __init__(self, settings: Settings, mapping: Mapping) -> None:
        self._by_event_name = settings.subject == "event_name"
        self._any_subject = settings.any_subject
        self._automatic = mapping.automatic
        self._rules = tuple(rule for rule in mapping.rules if rule.rule.direction != "out")

    def needed(self, filter_: Filter) -> frozenset[EventType]:
        """Return the types to subscribe to for a filter; none where it accepts nothing.

        These are all types where subjects are event names, which subscriptions do not contain, or
        where a subject is too long for an event type.

        Law: whatever a native event becomes, where the filter accepts it, the native event's type
        is among the types.
        """
        found = translate(filter_.tree, _VOCABULARY)
        if not found.disjuncts:
            return frozenset()
        tests = [_subject_test(terms) for terms in found.disjuncts]
        if any(test is None for test in tests):
            return _ALL
        try:
            types = self._types(test for test in tests if test is not None)
        except InvalidEventTypeError:
            return _ALL
        return _ALL if self._by_event_name and types - {_ANY} else types

    def _types(self, tests: Iterable[Term]) -> frozenset[EventType]:
        types: set[EventType] = set()
        for test in tests:
            if self._automatic:
                types |= {canonical(("*", pattern)) for pattern in _patterns(test)}
                if self._any_subject and _accepts(test, self._any_subject):
                    types.add(_ANY)
            for rule in self._rules:
                if _accepts(test, rule.rule.subject):
                    types |= self._types_of(rule)
        return frozenset(types)

    def _types_of(self, rule: Compiled) -> frozenset[EventType]:
        if rule.native_subject is None:
            return frozenset({_ANY})
        own = canonical(("*", rule.native_subject))
        return frozenset({own, _ANY} if rule.native_subject == self._any_subject else {own})


def _subject_test(terms: tuple[Term, ...]) -> Term | None:
    """Return the narrowest test of a conjunction; None where there is none."""
    return min(terms, key=lambda term: _NARROWEST.index(term.op), default=None)


def _values(test: Term) -> tuple[str, ...]:
    """Return the texts that a test names; a subject is equal only to text."""
    values = test.value if test.op == "IN" else (test.value,)
    return tuple(value for value in values if isinstance(value, str))


def _patterns(test: Term) -> tuple[str, ...]:
    """Return the event-type patterns of a test; a `*` in a subject makes them accept more."""
    before = "*" if test.op in ("ENDS WITH", "CONTAINS") else ""
    after = "*" if test.op in ("STARTS WITH", "CONTAINS") else ""
    return tuple(f"{before}{value}{after}" for value in _values(test))


def _accepts(test: Term, subject: str) -> bool:
    match test.op:
        case "STARTS WITH":
            return subject.startswith(_values(test))
        case "ENDS WITH":
            return subject.endswith(_values(test))
        case "CONTAINS":
            return any(value in subject for value in _values(test))
    return subject in _values(test)
