"""The arguments of `match`, `match_structured` and `match_typed`, and their event types."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eventservices.cns.etcl.errors import UnsupportedFilterableDataError
from eventservices.cns.etcl.idl import kind_of
from eventservices.cns.etcl.records import Content, Properties, unwrap
from eventservices.cns.event import TYPED_TYPE, StructuredEvent
from eventservices.cns.event_type import ANY_TYPE, EventType
from eventservices.cns.value import Value


@dataclass(frozen=True, slots=True)
class Subject:
    """What a constraint is matched against.

    Attributes:
        event_type: Its type.
        content: What `$` is.
    """

    event_type: EventType
    content: Any


def any_subject(event: Content) -> Subject:
    """Return what an event of any form is matched as; an Any with an event is that event."""
    content = unwrap(event)
    if isinstance(content, StructuredEvent):
        return Subject(EventType(*content.event_type), content)
    return Subject(ANY_TYPE, content)


def structured_subject(event: StructuredEvent) -> Subject:
    """Return what a structured event is matched as.

    Raises:
        UnsupportedFilterableDataError: It is none.
    """
    if not isinstance(event, StructuredEvent):
        raise UnsupportedFilterableDataError(f"{kind_of(event)} is not a structured event")
    return Subject(EventType(*event.event_type), event)


def typed_subject(properties: Mapping[str, Value]) -> Subject:
    """Return what a typed event is matched as.

    Args:
        properties: `operation` and the parameters of the call, by name.

    Raises:
        UnsupportedFilterableDataError: They are not a mapping by name.
    """
    if not isinstance(properties, Mapping):
        raise UnsupportedFilterableDataError(f"{kind_of(properties)} is not a set of properties")
    return Subject(TYPED_TYPE, Properties(properties))
