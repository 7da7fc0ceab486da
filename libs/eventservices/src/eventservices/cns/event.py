"""Any events and structured events, and how a channel turns one into the other.

Source:
    OMG Notification Service 1.1, `CosNotification` IDL; translation as omniNotify does it.
"""

from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from eventservices.cns.event_type import ANY_TYPE, EventType
from eventservices.cns.value import Value


class FixedEventHeader(msgspec.Struct, frozen=True):
    """What every structured event has.

    Attributes:
        event_type: Its type, literal.
        event_name: Names this one event; may be empty.
    """

    event_type: EventType
    event_name: str = ""


class EventHeader(msgspec.Struct, frozen=True):
    """The header of a structured event.

    Attributes:
        fixed_header: Type and name.
        variable_header: Optional fields by name, in order: QoS of this event, and the user's own.
    """

    fixed_header: FixedEventHeader
    variable_header: Mapping[str, Value] = {}


class StructuredEvent(msgspec.Struct, frozen=True):
    """A structured event; `structured_event` makes one with fewer words.

    Attributes:
        header: Type, name and optional fields.
        filterable_data: Named values, in order; what filters look at.
        remainder_of_body: The payload; an empty Any where there is none.
    """

    header: EventHeader
    filterable_data: Mapping[str, Value] = {}
    remainder_of_body: Value = None

    @property
    def event_type(self) -> EventType:
        """The event's type."""
        return self.header.fixed_header.event_type

    @property
    def event_name(self) -> str:
        """The event's name."""
        return self.header.fixed_header.event_name


class AnyEvent(msgspec.Struct, frozen=True):
    """An event that is one value and nothing else.

    Attributes:
        value: The value.
    """

    value: Value

    @property
    def event_type(self) -> EventType:
        """The type that subscriptions see: `("", "%ANY")`."""
        return ANY_TYPE


Event: TypeAlias = AnyEvent | StructuredEvent
"""What a channel carries."""

TYPED_TYPE = EventType("", "%TYPED")
"""The type of a typed invocation that is represented as a structured event."""

OPERATION = "operation"
"""Name of the property that contains a typed invocation's operation."""


def typed_event(operation: str, parameters: Mapping[str, Value]) -> StructuredEvent:
    """Return what a structured consumer gets of a typed invocation.

    Args:
        operation: Its scoped name.
        parameters: Its `in` parameters, in order.

    Source:
        OMG Notification Service 1.1, section 2.1.4.
    """
    header = EventHeader(FixedEventHeader(TYPED_TYPE))
    return StructuredEvent(header, {OPERATION: operation, **parameters})


def structured_event(
    event_type: EventType | tuple[str, str],
    event_name: str = "",
    *,
    variable_header: Mapping[str, Value] | None = None,
    filterable_data: Mapping[str, Value] | None = None,
    body: Value = None,
) -> StructuredEvent:
    """Return a structured event.

    Args:
        event_type: Domain and type.
        event_name: Name of this one event.
        variable_header: Optional header fields.
        filterable_data: Named values.
        body: The remainder of the body.
    """
    fixed = FixedEventHeader(EventType(*event_type), event_name)
    header = EventHeader(fixed, variable_header or {})
    return StructuredEvent(header, filterable_data or {}, body)


_ANY_HEADER = EventHeader(FixedEventHeader(ANY_TYPE))


def as_structured(event: AnyEvent | StructuredEvent) -> StructuredEvent:
    """Return what a structured consumer gets: an Any lies in the body of a `%ANY` event."""
    if isinstance(event, AnyEvent):
        return StructuredEvent(_ANY_HEADER, remainder_of_body=event.value)
    return event


def as_any(event: AnyEvent | StructuredEvent) -> Value:
    """Return what an Any consumer gets: the body of a `%ANY` event, else the whole event."""
    if isinstance(event, AnyEvent):
        return event.value
    if event.header.fixed_header.event_type.type_name == ANY_TYPE.type_name:
        return event.remainder_of_body
    return event
