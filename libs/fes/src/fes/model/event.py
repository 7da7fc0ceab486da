"""The event: a subject, with ordered parameters and attributes."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from fes.errors import EventError
from fes.model.types import Type, check_value, type_of

RESERVED_PREFIX = "FES_"
"""Subjects with this prefix belong to the federation."""


class Field(msgspec.Struct, frozen=True, array_like=True):
    """One parameter or attribute: identifier, type and value.

    Attributes:
        id: Case sensitive, unique among the event's parameters or attributes.
        type: Declared type of the value.
        value: str, int, float, bool, bytes or `Event`, according to `type`.
    """

    id: str
    type: Type
    value: Any


class Event(msgspec.Struct, frozen=True, array_like=True):
    """A structured event.

    Parameters carry the data, attributes the context (priority, proximity …). Both are ordered
    and reachable by index and by identifier.

    Attributes:
        subject: The application's event type; case sensitive.
        parameters: In the producer's order.
        attributes: In the producer's order.

    Source:
        FES thesis, section 5.2.2.
    """

    subject: str
    parameters: tuple[Field, ...] = ()
    attributes: tuple[Field, ...] = ()

    @staticmethod
    def of(
        subject: str,
        parameters: Mapping[str, Any] | None = None,
        attributes: Mapping[str, Any] | None = None,
        /,
        **more: Any,
    ) -> "Event":
        """Return an event whose values have the smallest type that contains them.

        Args:
            subject: Not empty.
            parameters: Values by identifier, in order; followed by `more`.
            attributes: Values by identifier, in order.
            **more: Further parameters, for identifiers that are Python names.

        Raises:
            EventError: A value has no type; the message names the field.
        """
        event = Event(
            subject,
            tuple(fields_of({**(parameters or {}), **more}, "parameter")),
            tuple(fields_of(attributes or {}, "attribute")),
        )
        check_event(event)
        return event

    def parameter(self, key: str | int) -> Any:
        """Return a parameter's value by identifier or index; None where there is none."""
        return _find(self.parameters, key)

    def attribute(self, key: str | int) -> Any:
        """Return an attribute's value by identifier or index; None where there is none."""
        return _find(self.attributes, key)

    def with_attributes(self, changes: Mapping[str, Any]) -> "Event":
        """Return a copy of the event with attributes set; the others keep their place."""
        kept = [
            Field(field.id, type_of(changes[field.id]), changes[field.id])
            if field.id in changes
            else field
            for field in self.attributes
        ]
        known = {field.id for field in kept}
        new = {key: value for key, value in changes.items() if key not in known}
        return Event(self.subject, self.parameters, (*kept, *fields_of(new, "attribute")))


def fields_of(values: Mapping[str, Any], what: str) -> Iterable[Field]:
    """Yield a field for each value, of the smallest type that contains it.

    Raises:
        EventError: A value has no type.
    """
    for key, value in values.items():
        yield Field(key, type_of(value, f"{what} {key!r}"), value)


def check_event(event: Event, depth: int = 0) -> Event:
    """Return `event` if it follows the rules of the event model.

    Args:
        event: The event, from anywhere.
        depth: How deep it is nested already.

    Raises:
        EventError: A field's value and type disagree, an identifier occurs twice, the subject is
            empty, or events are nested deeper than 32; the message names the field.
    """
    if depth > MAX_DEPTH:
        raise EventError(f"events are nested deeper than {MAX_DEPTH}")
    if not isinstance(event.subject, str) or not event.subject:
        raise EventError("subject is empty")
    check_value(Type.STRING, event.subject, "subject")
    for what, fields in (("parameter", event.parameters), ("attribute", event.attributes)):
        seen = set()
        for field in fields:
            place = f"{what} {field.id!r}"
            if field.id in seen:
                raise EventError(f"{place} occurs twice")
            seen.add(field.id)
            check_value(Type.STRING, field.id, f"identifier of {place}")
            check_value(field.type, field.value, place)
            if field.type is Type.EVENT:
                check_event(field.value, depth + 1)
    return event


MAX_DEPTH = 32
"""How deep events may be nested."""


def is_reserved(subject: str) -> bool:
    """Return whether a subject belongs to the federation."""
    return subject.startswith(RESERVED_PREFIX)


def _find(fields: tuple[Field, ...], key: str | int) -> Any:
    if isinstance(key, int):
        return fields[key].value if 0 <= key < len(fields) else None
    for field in fields:
        if field.id == key:
            return field.value
    return None
