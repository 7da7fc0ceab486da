"""Typed events: a declared class, checked where an event is sent and where it is received.

Source:
    Smart-building thesis, sections 4.4.2, 5.3, 5.4 and 5.6.
"""

from collections.abc import Mapping
from typing import Any, Generic, TypeVar

import msgspec

from eventservices.bus.errors import TypeMismatchError
from eventservices.bus.names import check_name

T = TypeVar("T", bound=msgspec.Struct)


class EventType(Generic[T]):
    """An event's name, and the class whose fields are its parameters.

    Args:
        name: Such as `ie.tcd.cs.ActiveBadge`.
        declared: A `msgspec.Struct`; constraints of its fields are checked, too.

    Raises:
        EventNameError: The name is not valid.
    """

    def __init__(self, name: str, declared: type[T]) -> None:
        self.name = check_name(name)
        self.declared = declared

    def values(self, event: T) -> dict[str, Any]:
        """Return an event's parameters.

        Raises:
            TypeMismatchError: It is not of the declared class, or a field is not of its type.
        """
        if not isinstance(event, self.declared):
            raise TypeMismatchError(
                f"{self.name} is a {self.declared.__name__}, not a {type(event).__name__}"
            )
        values = msgspec.structs.asdict(event)
        self.read(values)
        return values

    def read(self, values: Mapping[str, Any]) -> T:
        """Return the event that has these parameters.

        Raises:
            TypeMismatchError: One is missing, or of another type; the message names it.
        """
        try:
            return msgspec.convert(dict(values), self.declared, strict=True)
        except msgspec.ValidationError as error:
            raise TypeMismatchError(f"{self.name}: {error}") from error
