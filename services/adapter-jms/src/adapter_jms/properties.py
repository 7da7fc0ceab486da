"""Parameters that travel as JMS properties, which STOMP writes as strings."""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from fes.errors import CodecError
from fes.model import Field, Type
from fes.model.types import INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN

from adapter_jms.settings import JmsType

_TYPES: Final[dict[JmsType, Type]] = {
    "boolean": Type.BOOLEAN,
    "byte": Type.LONG,
    "short": Type.LONG,
    "int": Type.LONG,
    "long": Type.LONGLONG,
    "float": Type.DOUBLE,
    "double": Type.DOUBLE,
    "string": Type.STRING,
}
_NUMBER: Final = re.compile(
    r"[+-]?([0-9]{1,400}\.?[0-9]{0,400}|\.[0-9]{1,400})([eE][+-]?[0-9]{1,4})?"
)
_SPECIAL: Final = {"Infinity": math.inf, "-Infinity": -math.inf, "NaN": math.nan}
_WRITTEN: Final = {math.inf: "Infinity", -math.inf: "-Infinity"}
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,20}")


def read_properties(declared: Mapping[str, JmsType], frame: Mapping[str, str]) -> Iterator[Field]:
    """Yield the parameters that properties are.

    Raises:
        CodecError: One is not of its type.
    """
    for name, kind in declared.items():
        text = frame.get(name)
        if text is not None:
            yield Field(name, _TYPES[kind], _value(name, kind, text))


def write_property(field: Field, kind: JmsType) -> str | None:
    """Return the text of a parameter as a property; None where it cannot be one of this type."""
    value: Any = field.value
    if kind == "string":
        plain = field.type is Type.STRING and "\0" not in value
        return str(value) if plain else None
    if kind == "boolean":
        return ("true" if value else "false") if field.type is Type.BOOLEAN else None
    if _TYPES[kind] is Type.DOUBLE and field.type is Type.DOUBLE:
        return "NaN" if math.isnan(value) else _WRITTEN.get(value, repr(value))
    whole = field.type in (Type.LONG, Type.LONGLONG)
    if _TYPES[kind] is Type.DOUBLE:
        return str(value) if whole and abs(value) <= 2**53 else None
    fits = whole and (kind == "long" or INT32_MIN <= value <= INT32_MAX)
    return str(value) if fits else None


def with_properties(found: tuple[Field, ...], properties: tuple[Field, ...]) -> tuple[Field, ...]:
    """Return parameters with those that are properties; a payload may repeat them.

    Raises:
        CodecError: The payload has another value.
    """
    known = {field.id: field for field in found}
    for field in properties:
        other = known.get(field.id)
        if other is not None and not _are_same(other.value, field.value):
            raise CodecError(f"{field.id!r} is another in the payload than in the property")
    return (*(field for field in properties if field.id not in known), *found)


def _are_same(one: Any, other: Any) -> bool:
    both_nan = all(isinstance(each, float) and math.isnan(each) for each in (one, other))
    return both_nan or (isinstance(one, str) == isinstance(other, str) and one == other)


def _value(name: str, kind: JmsType, text: str) -> Any:
    if kind == "string":
        return text
    if kind == "boolean" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if _TYPES[kind] is Type.DOUBLE and (text in _SPECIAL or _NUMBER.fullmatch(text)):
        return _SPECIAL.get(text, math.nan) if text in _SPECIAL else float(text)
    if _TYPES[kind] in (Type.LONG, Type.LONGLONG) and _WHOLE.fullmatch(text):
        wide = kind == "long"
        low, high = (INT64_MIN, INT64_MAX) if wide else (INT32_MIN, INT32_MAX)
        if low <= int(text) <= high:
            return int(text)
    raise CodecError(f"property {name!r}: {text[:80]!r} is not a {kind}")
