"""Native events in the forms of CNS, structured events and Any events; and filters.

An Any contains a CAN frame (a struct of `can_id`, `extended` and `data`), octets, or another
struct; the last two have the subject of the setting `any_subject`.
"""

import collections.abc
from typing import Any, Final

from eventservices.cns import (
    ANY_TYPE,
    AnyEvent,
    EventType,
    StructuredEvent,
    Value,
    can_frame_any,
    type_code,
)
from eventservices.cns.can import CAN_FRAME, can_frame_of
from fes.adapter.native_form import NativeForm
from fes.adapter.settings import read_settings
from fes.errors import AdapterError, EventError
from fes.filter import Filter
from fes.mapping import Mapping, Native

from adapter_cns.codec import (
    Naming,
    attributes_of,
    field_of,
    parameters_of,
    structured_of,
    subject_of,
    value_of,
)
from adapter_cns.constraints import ConstraintMapping
from adapter_cns.settings import Settings

ANY_NAME: Final = ANY_TYPE.type_name


class Forms:
    """Converts what a channel delivers into native events, and back.

    Args:
        given: The adapter's settings.
        mapping: Between native events and the federation's; its rules state which bodies are
            payloads in octets.

    Attributes:
        left_out: Number of attributes of events published as an Any, which has no header.
    """

    def __init__(self, given: Settings, mapping: Mapping) -> None:
        self.naming = Naming(given.domain, given.subject == "event_name")
        self.left_out = 0
        self._any_subject = given.any_subject or None
        self._laid_out = frozenset(
            rule.native_subject
            for rule in mapping.rules
            if rule.rule.direction != "out" and (rule.frame is not None or rule.plugin is not None)
        )

    def from_structured(self, event: StructuredEvent) -> Native:
        """Return a structured event as a native event.

        Raises:
            EventError: It has no form in the model; the message states why.
        """
        subject = subject_of(event, self.naming)
        body = event.remainder_of_body
        octets = body if isinstance(body, bytes) and subject in self._laid_out else None
        return Native(
            subject,
            parameters_of(event, None if octets is not None else body),
            attributes_of(event, self.naming),
            octets,
        )

    def from_any(self, value: Value, time_us: int | None) -> Native:
        """Return the value of an Any event as a native event.

        Args:
            value: The value.
            time_us: The producer's time; a CAN frame's own time.

        Raises:
            EventError: It has no form in the model; the message states why.
        """
        if isinstance(value, dict):
            if value.keys() == CAN_FRAME:
                frame = can_frame_of(value)
                return Native(None, (), (), frame.data, frame.can_id, frame.extended, time_us)
            if self._any_subject is None:
                raise EventError("an Any with a struct has no subject: set any_subject")
            fields = tuple(field_of(name, item) for name, item in value.items())
            return Native(self._any_subject, fields)
        if isinstance(value, bytes):
            return Native(self._any_subject, octets=value)
        raise EventError(f"an Any of type {type_code(value).name} has no form in the event model")

    def to_native(self, native: Native) -> AnyEvent | StructuredEvent:
        """Return the form of a native event at the channel.

        Raises:
            AdapterError: The channel has no form for it; the message states why.
        """
        subject = native.subject
        if native.can_id is not None:
            if native.octets is None:
                raise AdapterError("a CAN frame needs octets")
            frame = can_frame_any(native.can_id, native.octets, extended=native.extended)
            return AnyEvent(frame)
        if subject is None or subject == self._any_subject:
            return AnyEvent(self._to_any(native))
        made = structured_of(
            subject, native.parameters, native.attributes, self.naming, native.octets
        )
        if made.header.fixed_header.event_type.type_name == ANY_NAME:
            raise AdapterError(f"{ANY_NAME!r} is the type of Any events; set any_subject for them")
        return made

    def event_type(self, native: Native) -> EventType:
        """Return the event type by which a native event is offered."""
        if native.can_id is not None or native.subject in (None, self._any_subject):
            return ANY_TYPE
        named = structured_of(str(native.subject), (), native.attributes, self.naming)
        return named.event_type

    def _to_any(self, native: Native) -> Value:
        if native.octets is None and native.subject is None:
            raise AdapterError("an event without subject, octets and CAN identifier has no form")
        self.left_out += len(native.attributes)
        if native.octets is not None and not native.parameters:
            return native.octets
        if native.octets is not None:
            raise AdapterError("an Any contains either octets or parameters")
        return {field.id: value_of(field) for field in native.parameters}


def native_form(
    filter_: Filter, mapping: Mapping, given: collections.abc.Mapping[str, Any]
) -> NativeForm:
    """Return the form of a filter at a channel; see `fes.adapter.native_form`."""
    found = ConstraintMapping(read_settings("cns", given, Settings), mapping).translate(filter_)
    lines = [
        f"types {', '.join(sorted('/'.join(each) for each in types))}: {text or 'TRUE'}"
        for types, text in found.expressions
    ]
    return NativeForm(tuple(lines), found.widened)
