"""Event types: a subject with the fixed layout of its content."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from eventservices.errors import MalformedError
from eventservices.steam.event import Value

Kind = Literal["string", "integer", "double", "boolean", "octets"]

_TYPES: dict[Kind, type] = {
    "string": str,
    "integer": int,
    "double": float,
    "boolean": bool,
    "octets": bytes,
}


@dataclass(frozen=True, slots=True)
class Field:
    """One parameter of an event type.

    Attributes:
        name: Name of the parameter.
        kind: Type of its value; boolean and octets are an extension of ours.
        max_length: Longest string or octets, in characters or bytes.
    """

    name: str
    kind: Kind
    max_length: int = 65_535


@dataclass(frozen=True, slots=True)
class EventType:
    """A subject, with the layout that each of its events has.

    Attributes:
        subject: Name of the event type.
        layout: Number, order, names and types of the parameters; free where None.

    Source:
        STEAM fixes number and types of parameters by event type, and has no strings of free
        length (FES thesis, section 5.8).
    """

    subject: str
    layout: tuple[Field, ...] | None = None

    def check(self, parameters: Mapping[str, Value]) -> None:
        """Check an event's content against the layout.

        Raises:
            MalformedError: Names, order, types or lengths differ; the message names the place.
        """
        if self.layout is None:
            return
        if [field.name for field in self.layout] != list(parameters):
            raise MalformedError(f"parameters of {self.subject!r} do not follow its layout")
        for field in self.layout:
            _check_field(field, parameters[field.name])


def _check_field(field: Field, value: Value) -> None:
    if type(value) is not _TYPES[field.kind]:
        raise MalformedError(f"parameter {field.name!r} is not of type {field.kind}")
    if isinstance(value, (str, bytes)) and len(value) > field.max_length:
        raise MalformedError(f"parameter {field.name!r} is longer than {field.max_length}")
