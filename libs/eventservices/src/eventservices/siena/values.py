"""Values and names of attributes, and the texts of both that a client may use."""

import re
from typing import Final

from eventservices.errors import MalformedError

Value = str | int | float | bool | bytes
"""A value: string, 64-bit integer, double, boolean; octets are our extension."""

INT_MIN: Final = -(2**63)
INT_MAX: Final = 2**63 - 1
MAX_NAME_CHARACTERS: Final = 255

NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_/.]*")
"""What SIENA accepts as a name; `-` is not in it, as its lexer reads a sign there."""

_VALUE_TYPES: Final = frozenset({str, int, float, bool, bytes})
_KINDS: Final[dict[type, str]] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    bytes: "octets",
}


def kind(value: Value) -> str:
    """Return what a value compares with: `string`, `number`, `boolean` or `octets`."""
    return _KINDS[type(value)]


def kind_or_none(value: object) -> str | None:
    """Return the same, or None for what is not a value of SIENA's."""
    return _KINDS.get(type(value))


def same_kind(a: Value, b: Value) -> bool:
    """Return whether two values may be compared: integers and doubles are one kind."""
    return _KINDS[type(a)] == _KINDS[type(b)]


def check_name(name: str) -> str:
    """Return `name` if SIENA accepts it as the name of an attribute.

    Raises:
        MalformedError: It does not; the message shows the first character that is at fault.
    """
    found = NAME.match(name)
    if found is None or found.end() != len(name):
        at = found.end() if found else 0
        fault = f"{name[at]!r} at position {at + 1}" if name else "it is empty"
        raise MalformedError(
            f"{name[:80]!r} is not an attribute name: {fault}; "
            "a letter or _ comes first, then letters, digits, _ / and ."
        )
    if len(name) > MAX_NAME_CHARACTERS:
        raise MalformedError(f"{name[:40]!r}… has more than {MAX_NAME_CHARACTERS} characters")
    return name


def check_value(name: str, value: object) -> Value:
    """Return `value` if an attribute can have it.

    Args:
        name: Of the attribute, for the message.
        value: The caller's argument.

    Raises:
        MalformedError: It is of another type, out of 64 bit, or text that is not Unicode.
    """
    if type(value) not in _VALUE_TYPES:
        raise MalformedError(f"attribute {name!r}: {type(value).__name__} is not a type of SIENA")
    if isinstance(value, int) and not INT_MIN <= value <= INT_MAX:
        raise MalformedError(f"attribute {name!r}: {value} is out of 64 bit")
    if isinstance(value, str) and not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            raise MalformedError(f"attribute {name!r}: not Unicode text: {error}") from error
    return value  # type: ignore[return-value] # its type is one of `_VALUE_TYPES`
