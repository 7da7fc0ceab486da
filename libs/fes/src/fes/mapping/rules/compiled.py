"""A compiled rule, which maps events."""

from dataclasses import dataclass

from fes.errors import MappingError
from fes.mapping.counters import Counters
from fes.mapping.fields.carry import Carry
from fes.mapping.frames.frame import UNDECODED, Frame, raw_fields
from fes.mapping.native import Native, describe
from fes.mapping.rules.model import Rule
from fes.mapping.rules.plausible import Plausible
from fes.mapping.rules.plugin import Plugin, plugin_in, plugin_out
from fes.model import Event, Field, Type

Timed = tuple[Event, int | None]
"""An event, and its time in microseconds since 1970 UTC where the native event contains it."""


@dataclass(frozen=True, slots=True)
class Ways:
    """The conversion of named fields in one direction."""

    parameters: Carry
    attributes: Carry


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compiled rule.

    Attributes:
        rule: The rule.
        where: Its name in errors.
        native_subject: Subject of native events; None where these are CAN frames.
        can_id, extended: Identifier of CAN frames; None where native events have a subject.
        frame: Layout of the payload; None where the native event is structured.
        inward: Inbound conversion of named fields; None where there is none.
        outward: The same outbound.
        plugin: Function that maps in place of all that; None for none.
        tag: The text that it adds to identities; see `parts`.
        plausible: Fields whose values have a range.
        group: Whether it applies to every identifier of `can_id`'s parameter group (SAE J1939).
    """

    rule: Rule
    where: str
    native_subject: str | None
    can_id: int | None
    extended: bool
    frame: Frame | None
    inward: Ways | None
    outward: Ways | None
    plugin: Plugin | None
    tag: str
    plausible: tuple[Plausible, ...]
    group: bool = False

    @property
    def native_key(self) -> tuple[str | None, int | None, bool, bool]:
        """The native events that it matches.

        Subject, CAN identifier, whether 29 bits, whether a group.
        """
        return self.native_subject, self.can_id, self.extended, self.group

    def implausible(self, event: Event) -> str | None:
        """Return which value of an event is outside its range; None where none is."""
        for field in self.plausible:
            found = field.outside(event)
            if found is not None:
                return f"{self.where}: {found}"
        return None

    def to_events(self, native: Native, counters: Counters) -> list[Timed]:
        """Return the events of a native event that the rule matches.

        Raises:
            MappingError: The native event breaks the rule; the message names the field.
        """
        time_us = native.time_us if self.rule.time == "frame" else None
        if self.plugin is not None:
            made = plugin_in(self.plugin, native, self.rule.subject, self.where)
            return [(event, time_us) for event in made]
        if self.frame is not None:
            return [(self._of_octets(self.frame, native, counters), time_us)]
        parameters, attributes = _run(self.inward, native.parameters, native.attributes, counters)
        return [(Event(self.rule.subject, tuple(parameters), tuple(attributes)), time_us)]

    def to_native(self, event: Event, counters: Counters) -> list[Native]:
        """Return the native events of an event of the rule's subject.

        Raises:
            MappingError: The event breaks the rule; the message names the field.
        """
        if self.plugin is not None:
            return plugin_out(self.plugin, event, self.where)
        octets = None
        if self.frame is not None:
            parameters = {field.id: field.value for field in event.parameters}
            attributes = {field.id: field.value for field in event.attributes}
            octets = self.frame.write(parameters, attributes, counters)
        named, context = _run(self.outward, event.parameters, event.attributes, counters)
        subject, can_id, extended = self.native_subject, self.can_id, self.extended
        return [Native(subject, tuple(named), tuple(context), octets, can_id, extended)]

    def _of_octets(self, frame: Frame, native: Native, counters: Counters) -> Event:
        octets = native.octets
        if octets is None:
            raise MappingError(f"{self.where}: the native event has no octets")
        unknown = frame.unknown_selector(octets) if frame.selectors else None
        if unknown is not None:
            counters.undecoded += 1
            counters.note("undecoded", describe(native))
            mark = Field(UNDECODED, Type.BOOLEAN, True)
            return Event(self.rule.subject, raw_fields(unknown, octets), (mark,))
        parameters, is_short = frame.read(frame.parameters, octets, counters)
        attributes, is_shorter = frame.read(frame.attributes, octets, counters)
        if is_short or is_shorter:
            counters.short_frames += 1
            counters.note("short_frames", describe(native))
        if self.inward is not None:
            more = _run(self.inward, native.parameters, native.attributes, counters)
            parameters += more[0]
            attributes += more[1]
        return Event(self.rule.subject, tuple(parameters), tuple(attributes))


def _run(
    ways: Ways | None,
    parameters: tuple[Field, ...],
    attributes: tuple[Field, ...],
    counters: Counters,
) -> tuple[list[Field], list[Field]]:
    if ways is None:
        return [], []
    return (
        ways.parameters.run(parameters, attributes, counters),
        ways.attributes.run(attributes, parameters, counters),
    )
