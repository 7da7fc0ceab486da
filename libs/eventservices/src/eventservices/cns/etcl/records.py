"""The parts of an event that are not plain values: structures of the specification's own IDL."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from eventservices.cns.etcl.errors import EvaluationError
from eventservices.cns.event import AnyEvent, EventHeader, FixedEventHeader, StructuredEvent
from eventservices.cns.event_type import EventType
from eventservices.cns.value import Value

Content: TypeAlias = "AnyEvent | Value"
"""An event of either form, or the bare value of an Any."""

_SCOPE = "IDL:omg.org/CosNotification/"


@dataclass(frozen=True, slots=True)
class Properties:
    """A sequence of names and values, over the mapping in which an event keeps it.

    Attributes:
        items: The values by name, in order.
        type_id: Name of the sequence's type.
    """

    items: Mapping[str, Value]
    type_id: str = "PropertySeq"

    def at(self, number: int) -> Value:
        """Return one property, by position.

        Raises:
            EvaluationError: There are fewer.
        """
        for index, (name, value) in enumerate(self.items.items()):
            if index == number:
                return {"_type_id": "Property", "_repos_id": f"{_SCOPE}Property:1.0",
                        "name": name, "value": value}  # fmt: skip
        raise EvaluationError(f"there is no element {number}")


FIELDS: dict[type, tuple[str, ...]] = {
    StructuredEvent: ("header", "filterable_data", "remainder_of_body"),
    EventHeader: ("fixed_header", "variable_header"),
    FixedEventHeader: ("event_type", "event_name"),
    EventType: ("domain_name", "type_name"),
}
"""Members of the event's own structures, in the order of the IDL."""

_SEQUENCES = {
    "filterable_data": "FilterableEventBody",
    "variable_header": "OptionalHeaderFields",
}


def unwrap(value: Any) -> Any:
    """Return what is within an Any, and within the Anys in it: unnamed layers do not count."""
    while isinstance(value, AnyEvent):
        value = value.value
    return value


def field(record: Any, name: str) -> Any:
    """Return a member of one of the event's own structures.

    Raises:
        EvaluationError: It has no such member.
    """
    if name not in FIELDS[type(record)]:
        raise EvaluationError(f"{type(record).__name__} has no member {name}")
    value = getattr(record, name)
    if name == "event_type":
        return EventType(*value)
    return Properties(value, _SEQUENCES[name]) if name in _SEQUENCES else value


def own_type(value: Any) -> str | None:
    """Return the name of a type of the specification's own IDL, or None."""
    if isinstance(value, Properties):
        return value.type_id
    return type(value).__name__ if type(value) in FIELDS else None


def own_repository_id(value: Any) -> str | None:
    """Return the repository id of such a type, or None."""
    name = own_type(value)
    return None if name is None else f"{_SCOPE}{name}:1.0"
