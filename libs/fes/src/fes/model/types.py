"""The types of the event model, and the ranges of their values."""

from enum import IntEnum

from fes.errors import EventError

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1


class Type(IntEnum):
    """The type of a parameter or attribute.

    Source:
        1 to 4: FES thesis, sections 5.2.1 and 5.2.2. 5 to 7 are ours, since present brokers need
        them.
    """

    STRING = 1
    LONG = 2
    DOUBLE = 3
    EVENT = 4
    LONGLONG = 5
    BOOLEAN = 6
    OCTETS = 7


def type_of(value: object, place: str = "value") -> Type:
    """Return the smallest type that contains a Python value.

    Args:
        value: str, int, float, bool, bytes or an event.
        place: Where the value is, for the message.

    Raises:
        EventError: No type contains it: an integer outside 64 bit, or another Python type.
    """
    kind = _BY_CLASS.get(value.__class__)
    if kind is not None:
        return kind
    if isinstance(value, int):
        if INT32_MIN <= value <= INT32_MAX:
            return Type.LONG
        if INT64_MIN <= value <= INT64_MAX:
            return Type.LONGLONG
        raise EventError(f"{place}: integer {_shorten(value)} does not fit 64 bit")
    if hasattr(value, "parameters") and hasattr(value, "subject"):
        return Type.EVENT
    raise EventError(f"{place}: no type of the event model represents a {type(value).__name__}")


_BY_CLASS: dict[type, Type] = {
    str: Type.STRING,
    float: Type.DOUBLE,
    bool: Type.BOOLEAN,
    bytes: Type.OCTETS,
}


def check_value(kind: Type, value: object, place: str) -> None:
    """Raise an error unless `value` is of type `kind` and in its range.

    Raises:
        EventError: The value is of another type, out of range, or text that is not Unicode.
    """
    if kind is Type.STRING:
        if not isinstance(value, str):
            raise EventError(f"{place}: a string was declared, found {type(value).__name__}")
        if not value.isascii():
            _check_unicode(value, place)
    elif kind in (Type.LONG, Type.LONGLONG):
        if not isinstance(value, int) or isinstance(value, bool):
            raise EventError(f"{place}: an integer was declared, found {type(value).__name__}")
        low, high = (INT32_MIN, INT32_MAX) if kind is Type.LONG else (INT64_MIN, INT64_MAX)
        if not low <= value <= high:
            bits = 32 if kind is Type.LONG else 64
            raise EventError(f"{place}: integer {_shorten(value)} does not fit {bits} bit")
    else:
        _check_class(kind, value, place)


def is_number(kind: Type) -> bool:
    """Return whether values of a type are numbers."""
    return kind in (Type.LONG, Type.LONGLONG, Type.DOUBLE)


def _check_class(kind: Type, value: object, place: str) -> None:
    wanted: dict[Type, type] = {Type.DOUBLE: float, Type.BOOLEAN: bool, Type.OCTETS: bytes}
    if kind is Type.EVENT:
        if not hasattr(value, "subject"):
            raise EventError(f"{place}: an event was declared, found {type(value).__name__}")
    elif not isinstance(value, wanted[kind]):
        raise EventError(
            f"{place}: a {kind.name.lower()} was declared, found {type(value).__name__}"
        )


def _check_unicode(text: str, place: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise EventError(f"{place}: text is not Unicode (lone surrogate)") from error


def _shorten(value: int) -> str:
    return str(value) if abs(value) < 10**24 else f"of {value.bit_length()} bits"
