"""Interfaces: the operations that typed clients call, with their parameters, as a file declares.

```toml
["Traffic::Sensor".report]
vehicle = "string"
speed = "double"
```
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from serving.text import read_text

from eventservices.cns.domains.errors import InvocationError
from eventservices.cns.event import OPERATION, TYPED_TYPE, Event, StructuredEvent, typed_event
from eventservices.cns.value import TypeCode, Value, type_code
from eventservices.errors import MalformedError

SEPARATOR: Final = "::"
MOST_BYTES: Final = 1024 * 1024
"""Largest file of interfaces."""

_TYPES: Final = {
    "string": (TypeCode.STRING,),
    "long": (TypeCode.LONG,),
    "longlong": (TypeCode.LONG, TypeCode.LONGLONG),
    "double": (TypeCode.DOUBLE,),
    "boolean": (TypeCode.BOOLEAN,),
    "octets": (TypeCode.OCTETS,),
    "sequence": (TypeCode.SEQUENCE,),
    "struct": (TypeCode.STRUCT,),
    "any": tuple(TypeCode),
}


class InvalidInterfaceError(MalformedError):
    """Raised when a file of interfaces is not valid; the message names the place."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: it returns nothing and has `in` parameters only, as the standard requires.

    Attributes:
        name: Its name within its interface.
        parameters: The types of its parameters by name, in order.
    """

    name: str
    parameters: Mapping[str, str] = field(default_factory=dict)

    def check(self, arguments: Mapping[str, Value]) -> None:
        """Check the arguments of a call.

        Raises:
            InvocationError: One is missing, not declared, or of another type.
        """
        for name, kind in self.parameters.items():
            if name not in arguments:
                raise InvocationError(f"operation {self.name!r} lacks its parameter {name!r}")
            found = type_code(arguments[name])
            if found not in _TYPES[kind]:
                reason = f"parameter {name!r} of {self.name!r} is {found.name}, not {kind}"
                raise InvocationError(reason)
        extra = next((name for name in arguments if name not in self.parameters), None)
        if extra is not None:
            raise InvocationError(f"operation {self.name!r} has no parameter {extra!r}")


@dataclass(frozen=True, slots=True)
class Invocation:
    """A call of an operation.

    Attributes:
        operation: The operation's name within its interface.
        arguments: By name, in the order of the declaration.
    """

    operation: str
    arguments: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Interface:
    """An interface.

    Attributes:
        name: Its scoped name.
        operations: By name.
    """

    name: str
    operations: Mapping[str, Operation]

    def event(self, operation: str, arguments: Mapping[str, Value]) -> StructuredEvent:
        """Return a call as the structured event that represents it.

        Raises:
            InvocationError: The operation is not declared, or its arguments are others.
        """
        found = self.operations.get(operation)
        if found is None:
            raise InvocationError(f"interface {self.name!r} has no operation {operation!r}")
        found.check(arguments)
        ordered = {name: arguments[name] for name in found.parameters}
        return typed_event(f"{self.name}{SEPARATOR}{operation}", ordered)

    def invocation(self, event: Event) -> Invocation | None:
        """Return the call that an event represents; None where it is not one of this interface."""
        if not is_invocation(event, self.name) or not isinstance(event, StructuredEvent):
            return None
        arguments = dict(event.filterable_data)
        name = str(arguments.pop(OPERATION)).removeprefix(f"{self.name}{SEPARATOR}")
        found = self.operations.get(name)
        if found is None:
            return None
        try:
            found.check(arguments)
        except InvocationError:
            return None
        return Invocation(name, {each: arguments[each] for each in found.parameters})


def is_invocation(event: Event, interface: str) -> bool:
    """Return whether an event represents a call of an operation of an interface."""
    if not isinstance(event, StructuredEvent) or event.event_type != TYPED_TYPE:
        return False
    operation = event.filterable_data.get(OPERATION)
    scope = f"{interface}{SEPARATOR}"
    return isinstance(operation, str) and operation.rpartition(SEPARATOR)[0] + SEPARATOR == scope


def load_interfaces(path: Path) -> dict[str, Interface]:
    """Return the interfaces that a TOML file declares, by name.

    Raises:
        InvalidInterfaceError: The file is not valid; the message names the place.
        OSError: It cannot be read, or is larger than `MOST_BYTES`.
    """
    try:
        declared = tomllib.loads(read_text(path, MOST_BYTES))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInterfaceError(f"{path}: {error}") from error
    return {name: _interface(f"{path}: {name}", name, each) for name, each in declared.items()}


def _interface(place: str, name: str, declared: object) -> Interface:
    if not isinstance(declared, dict) or not declared:
        raise InvalidInterfaceError(f"{place}: is not a table of operations")
    operations = {
        operation: Operation(operation, _parameters(f"{place}.{operation}", operation, parameters))
        for operation, parameters in declared.items()
    }
    return Interface(name, operations)


def _parameters(place: str, operation: str, declared: object) -> dict[str, str]:
    if not operation.isidentifier():
        raise InvalidInterfaceError(f"{place}: is not the name of an operation")
    if not isinstance(declared, dict):
        raise InvalidInterfaceError(f"{place}: is not a table of parameters")
    for name, kind in declared.items():
        if not name.isidentifier() or name == OPERATION:
            raise InvalidInterfaceError(f"{place}.{name}: is not the name of a parameter")
        if kind not in _TYPES:
            known = ", ".join(_TYPES)
            raise InvalidInterfaceError(f"{place}.{name}: {kind!r} is none of {known}")
    return dict(declared)
