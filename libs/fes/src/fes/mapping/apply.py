"""The mapping of one adapter: native events to FES events and back."""

from collections import defaultdict
from collections.abc import Sequence

from eventservices.canlog.j1939 import group_of

from fes.errors import MappingError
from fes.filter.translation.vocabulary import Term
from fes.mapping.counters import Counters
from fes.mapping.fields.carry import Carry
from fes.mapping.fields.names import NameRule, Names, is_identity
from fes.mapping.fields.paths import Rename
from fes.mapping.inversion.terms import Terms
from fes.mapping.native import Native, describe
from fes.mapping.rules.compile import compile_rule
from fes.mapping.rules.compiled import Compiled, Timed
from fes.mapping.rules.model import Rule
from fes.mapping.rules.parts import EventPart, LeftOut, Made, NativePart, numbered
from fes.model import Event

CanKey = tuple[int, bool]


class Mapping:
    """Maps native events to FES events and back, by rules or automatically.

    Every rule that matches an event makes one for the other side, in the order of the list. Not
    safe for several threads at once.

    Args:
        rules: DBC files as paths that can be opened: see `load_rules`.
        name_rule: Which names the service accepts; None where it accepts any.
        automatic: Whether events that no rule matches are mapped unchanged. Otherwise a native one
            is counted and set aside, and one of the federation is refused.

    Attributes:
        counters: Counters of this mapping.
        rules: The compiled rules.
        names: The compiled name rule; None where every name passes unchanged.
        automatic: As in the arguments.

    Raises:
        MappingError: A rule cannot work; the message names rule and field.

    Source:
        FES thesis, section 5.4.1.
    """

    def __init__(
        self,
        rules: Sequence[Rule] = (),
        name_rule: NameRule | None = None,
        *,
        automatic: bool = True,
    ) -> None:
        self.counters = Counters()
        self.automatic = automatic
        self.names = None if name_rule is None or is_identity(name_rule) else Names(name_rule)
        self.rules = tuple(compile_rule(rule, at, self.names) for at, rule in enumerate(rules))
        self._by_can: defaultdict[CanKey, tuple[Compiled, ...]] = defaultdict(tuple)
        self._by_group: defaultdict[int, tuple[Compiled, ...]] = defaultdict(tuple)
        self._by_native: defaultdict[str, tuple[Compiled, ...]] = defaultdict(tuple)
        self._by_subject: defaultdict[str, tuple[Compiled, ...]] = defaultdict(tuple)
        for compiled in self.rules:
            self._index(compiled)
        self._terms = Terms(self.rules, self.names, automatic=automatic)
        self._pass_in = _passing(self.names.inward if self.names else None)
        self._pass_out = _passing(self.names.outward if self.names else None)

    def to_events(self, native: Native) -> tuple[Timed, ...]:
        """Return the events of a native event.

        Returns:
            Each with its time in microseconds where the rule reads it from the native event;
            nothing where the native event was set aside.

        Raises:
            MappingError: The native event breaks a rule; the message names rule and field.
        """
        return tuple((part.event, part.time_us) for part in self.events_of(native).parts)

    def to_native(self, event: Event) -> tuple[Native, ...]:
        """Return the native events of an event.

        Raises:
            MappingError: The event breaks a rule, or none maps its subject; the message names rule
                and field.
        """
        return tuple(part.native for part in self.natives_of(event).parts)

    def events_of(self, native: Native, *, ranges: bool = True) -> Made[EventPart]:
        """Return the events of `to_events`, with identities and with what was left out.

        Args:
            native: The native event.
            ranges: Whether events with implausible values are left out; False for announcements,
                whose values nobody measured.

        Raises:
            MappingError: As for `to_events`.
        """
        parts: list[EventPart] = []
        left_out: list[LeftOut] = []
        try:
            self._map_in(native, parts, left_out, ranges=ranges)
        except MappingError:
            self.counters.refused += 1
            raise
        self.counters.mapped += len(parts)
        return Made(tuple(parts), tuple(left_out))

    def natives_of(self, event: Event, *, ranges: bool = True) -> Made[NativePart]:
        """Return the events of `to_native`, with identities and with what was left out.

        Args:
            event: The event.
            ranges: As for `events_of`.

        Raises:
            MappingError: As for `to_native`.
        """
        parts: list[NativePart] = []
        left_out: list[LeftOut] = []
        try:
            self._map_out(event, parts, left_out, ranges=ranges)
        except MappingError:
            self.counters.refused += 1
            raise
        self.counters.mapped += len(parts)
        return Made(tuple(parts), tuple(left_out))

    def native_terms(self, term: Term, subject: str | None = None) -> Term | None:
        """Return a filter term for native events that is true for the same events or more.

        Args:
            term: For FES events.
            subject: The only subject that the filter accepts, where that is known.

        Returns:
            None where the mapping cannot be inverted.
        """
        return self._terms.native(term, subject)

    def _map_in(
        self, native: Native, parts: list[EventPart], left_out: list[LeftOut], *, ranges: bool
    ) -> None:
        rules = self._rules_in(native)
        if not rules:
            parts += [EventPart(*timed) for timed in self._automatic_in(native)]
        for rule in rules or ():
            for index, (event, time_us) in enumerate(rule.to_events(native, self.counters)):
                reason = rule.implausible(event) if ranges and rule.plausible else None
                if reason is None:
                    parts.append(EventPart(event, time_us, numbered(rule.tag, index)))
                else:
                    left_out.append(self._left_out(event.subject, reason, describe(native)))

    def _map_out(
        self, event: Event, parts: list[NativePart], left_out: list[LeftOut], *, ranges: bool
    ) -> None:
        rules = self._by_subject.get(event.subject)
        if not rules:
            parts.append(NativePart(self._automatic_out(event)))
        for rule in rules or ():
            reason = rule.implausible(event) if ranges and rule.plausible else None
            if reason is not None:
                left_out.append(self._left_out(event.subject, reason, event.subject[:100]))
                continue
            made = rule.to_native(event, self.counters)
            parts += [
                NativePart(native, numbered(rule.tag, index)) for index, native in enumerate(made)
            ]

    def _left_out(self, subject: str, reason: str, kind: str) -> LeftOut:
        self.counters.implausible += 1
        self.counters.note("implausible", kind)
        return LeftOut(subject, reason)

    def _index(self, rule: Compiled) -> None:
        if rule.rule.direction != "out":
            if rule.can_id is not None and rule.group:
                self._by_group[group_of(rule.can_id)] += (rule,)
            elif rule.can_id is not None:
                self._by_can[rule.can_id, rule.extended] += (rule,)
            elif rule.native_subject is not None:
                self._by_native[rule.native_subject] += (rule,)
        if rule.rule.direction != "in":
            self._by_subject[rule.rule.subject] += (rule,)

    def _rules_in(self, native: Native) -> tuple[Compiled, ...] | None:
        if native.can_id is not None:
            exact = self._by_can.get((native.can_id, native.extended))
            if not (native.extended and self._by_group):
                return exact
            return (*(exact or ()), *self._by_group.get(group_of(native.can_id), ()))
        return self._by_native.get(native.subject) if native.subject is not None else None

    def _automatic_in(self, native: Native) -> list[Timed]:
        if not self.automatic or native.subject is None or native.octets is not None:
            self.counters.unmatched += 1
            self.counters.note("unmatched", describe(native))
            return []
        subject = self.names.subject_in(native.subject) if self.names else native.subject
        parameters, attributes = native.parameters, native.attributes
        if self.names:
            parameters = tuple(self._pass_in.run(parameters, (), self.counters))
            attributes = tuple(self._pass_in.run(attributes, (), self.counters))
        return [(Event(subject, parameters, attributes), None)]

    def _automatic_out(self, event: Event) -> Native:
        if not self.automatic:
            raise MappingError(f"no rule maps subject {event.subject[:100]!r} to the service")
        subject = self.names.subject_out(event.subject) if self.names else event.subject
        parameters, attributes = event.parameters, event.attributes
        if self.names:
            parameters = tuple(self._pass_out.run(parameters, (), self.counters))
            attributes = tuple(self._pass_out.run(attributes, (), self.counters))
        return Native(subject, parameters, attributes)


def _passing(rename: Rename | None) -> Carry:
    return Carry({}, {}, (), (), frozenset(), frozenset(), True, rename, "automatic mapping")
