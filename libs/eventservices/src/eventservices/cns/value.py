"""The values that an Any carries, as plain Python, and their CORBA type codes.

| Python | type code | |
|---|---|---|
| `None` | `NULL` | an empty Any |
| `bool` | `BOOLEAN` | |
| `int` | `LONG` or `LONGLONG` | the smallest that fits it; `LongLong(5)` stays 64 bit |
| `float` | `DOUBLE` | IEEE 754, NaN and infinities too |
| `str` | `STRING` | Unicode |
| `bytes` | `OCTETS` | |
| `list`, `tuple` | `SEQUENCE` | arrives as a list |
| `dict` | `STRUCT` | members keep their order; names are text |
| `StructuredEvent` | `EVENT` | a whole event within an Any |
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, TypeAlias

from eventservices.errors import MalformedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eventservices.cns.event import StructuredEvent

Value: TypeAlias = (
    "bool | int | float | str | bytes | Sequence[Value] | Mapping[str, Value] "
    "| StructuredEvent | None"
)
"""What an Any may carry."""

INT32 = 2**31
INT64 = 2**63


class TypeCode(IntEnum):
    """The type codes of Any values."""

    NULL = 0
    STRING = 1
    LONG = 2
    DOUBLE = 3
    EVENT = 4
    LONGLONG = 5
    BOOLEAN = 6
    OCTETS = 7
    SEQUENCE = 8
    STRUCT = 9


class LongLong(int):
    """A 64-bit integer that stays one although 32 bits would be enough."""

    __slots__ = ()


_PLAIN = {
    type(None): TypeCode.NULL,
    str: TypeCode.STRING,
    float: TypeCode.DOUBLE,
    bool: TypeCode.BOOLEAN,
    bytes: TypeCode.OCTETS,
    LongLong: TypeCode.LONGLONG,
}


def type_code(value: Value) -> TypeCode:
    """Return the type code of a value.

    Raises:
        MalformedError: No Any carries such a value.
    """
    found = _PLAIN.get(type(value))
    if found is not None:
        return found
    if type(value) is int:
        return TypeCode.LONG if -INT32 <= value < INT32 else TypeCode.LONGLONG
    if isinstance(value, Mapping):
        return TypeCode.STRUCT
    if isinstance(value, list | tuple):
        return TypeCode.SEQUENCE
    if hasattr(value, "remainder_of_body"):
        return TypeCode.EVENT
    raise MalformedError(f"an Any does not carry a {type(value).__name__}")
