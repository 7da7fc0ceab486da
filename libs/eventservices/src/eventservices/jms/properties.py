"""Values of properties, which STOMP writes as strings."""

import math
import re
from typing import Final, Literal

from eventservices.errors import MalformedError

PropertyType = Literal["boolean", "byte", "short", "int", "long", "float", "double", "string"]
"""Types of a property in JMS."""

Value = bool | int | float | str

WHOLE: Final = ("byte", "short", "int", "long")
REAL: Final = ("float", "double")

_NUMBER: Final = re.compile(
    r"[+-]?([0-9]{1,400}\.?[0-9]{0,400}|\.[0-9]{1,400})([eE][+-]?[0-9]{1,4})?"
)
_SPECIAL: Final = {"Infinity": math.inf, "-Infinity": -math.inf, "NaN": math.nan}
_WRITTEN: Final = {math.inf: "Infinity", -math.inf: "-Infinity"}
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,20}")
_EXACT: Final = 2**53


def read_property(name: str, kind: PropertyType, text: str) -> Value:
    """Return the value of a property.

    Raises:
        MalformedError: It is not of its type.
    """
    if kind == "string":
        return text
    if kind == "boolean" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if kind in REAL and (text in _SPECIAL or _NUMBER.fullmatch(text)):
        return _SPECIAL[text] if text in _SPECIAL else float(text)
    if kind in WHOLE and _INTEGER.fullmatch(text) and _fits(int(text), kind):
        return int(text)
    raise MalformedError(f"property {name!r}: {text[:80]!r} is not a {kind}")


def write_property(value: object, kind: PropertyType) -> str | None:
    """Return the text of a value as a property; None where it cannot be one of this type."""
    if kind == "string":
        return value if isinstance(value, str) and "\0" not in value else None
    if kind == "boolean":
        return ("true" if value else "false") if isinstance(value, bool) else None
    if kind in REAL and isinstance(value, float):
        return "NaN" if math.isnan(value) else _WRITTEN.get(value, repr(value))
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    fits = abs(value) <= _EXACT if kind in REAL else _fits(value, kind)
    return str(value) if fits else None


def _fits(value: int, kind: PropertyType) -> bool:
    """Return whether an integer has its type's range; of the small types that of an int."""
    limit = 2**63 if kind == "long" else 2**31
    return -limit <= value < limit
