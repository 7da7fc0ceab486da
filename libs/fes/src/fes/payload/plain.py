"""Parameters as plain values (objects, arrays, texts, numbers), and back.

An object in a payload is an event in an event, with subject `object`; an array is one with subject
`array` and its elements as parameters `0`, `1` …. A type that cannot be recognised from the plain
value is a hint beside the payload: a small `longlong`, and in JSON `octets`, a `double` that is not
a number, and an `event` of any other form. A foreign reader needs no hint, and a foreign payload
has none.
"""

import base64
import binascii
import math
from collections.abc import Iterable, Mapping
from typing import Any, Final

from fes.errors import CodecError, EventError
from fes.model import Event, Field, Type, type_of
from fes.model.text import from_plain, to_plain
from fes.model.types import INT32_MAX, INT32_MIN, check_value

OBJECT: Final = "object"
ARRAY: Final = "array"
NULL: Final = "null"
"""Subjects of the events that objects, arrays and an array's nulls are."""

MAX_DEPTH: Final = 32
"""How deep objects and arrays may be nested, the payload itself included."""

MAX_VALUES: Final = 4096
"""Most values of one payload, nested ones included; reading more would delay everything else."""

_SPECIAL: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}

Hints = Mapping[str, str]
"""Identifier of a parameter to its type, where the plain value does not show that."""


class Plain:
    """Makes plain values of parameters, and parameters of plain values.

    Args:
        binary: Whether octets, and doubles that are not numbers, are written as themselves.

    Attributes:
        nulls: Members that were null, and are absent from the events.
    """

    def __init__(self, *, binary: bool) -> None:
        self._binary = binary
        self.nulls = 0
        self._left = 0

    def write(self, fields: Iterable[Field]) -> tuple[dict[str, Any], dict[str, str]]:
        """Return parameters as an object, and the hints that it needs."""
        hints: dict[str, str] = {}
        values: dict[str, Any] = {}
        for field in fields:
            values[field.id], hint = self._value(field)
            if hint:
                hints[field.id] = hint
        return values, hints

    def read(self, values: Any, hints: Hints | None = None) -> tuple[Field, ...]:
        """Return the parameters of an object.

        Raises:
            CodecError: It is not an event, is nested too deep, or has a value that no type can
                represent; the message names the place.
        """
        if not isinstance(values, dict):
            raise CodecError(f"expected an object, found {_called(values)}")
        self._left = MAX_VALUES
        return self._members(values, "", 1, hints or {})

    def field(self, name: str, value: Any, hint: str = "") -> Field:
        """Return the parameter of one value that is not null.

        Raises:
            CodecError: As `read`.
        """
        self._left = MAX_VALUES
        return self._hinted(name, value, hint) if hint else self._field(name, value, name, 1)

    def _spend(self, values: int) -> None:
        self._left -= values
        if self._left < 0:
            raise CodecError(f"more than {MAX_VALUES} values")

    def _members(
        self, values: dict[Any, Any], place: str, depth: int, hints: Hints
    ) -> tuple[Field, ...]:
        if depth > MAX_DEPTH:
            raise CodecError(f"{place[:200]}: nested deeper than {MAX_DEPTH}")
        self._spend(len(values))
        found = []
        for key, value in values.items():
            if not isinstance(key, str):
                raise CodecError(f"{place or 'payload'}: a name is {_called(key)}, not a string")
            if value is None:
                self.nulls += 1
                continue
            if key in hints:
                found.append(self._hinted(key, value, hints[key]))
            else:
                found.append(self._field(key, value, f"{place}.{key}" if place else key, depth))
        return tuple(found)

    def _field(self, name: str, value: Any, place: str, depth: int) -> Field:
        try:
            if not name.isascii():
                check_value(Type.STRING, name, "name")
            if isinstance(value, dict):
                fields = self._members(value, place, depth + 1, {})
                return Field(name, Type.EVENT, Event(OBJECT, fields))
            if isinstance(value, list):
                return Field(name, Type.EVENT, Event(ARRAY, self._items(value, place, depth + 1)))
            kind = type_of(value, place)
            check_value(kind, value, place)
        except EventError as error:
            raise CodecError(str(error)) from error
        return Field(name, kind, value)

    def _items(self, values: list[Any], place: str, depth: int) -> tuple[Field, ...]:
        if depth > MAX_DEPTH:
            raise CodecError(f"{place[:200]}: nested deeper than {MAX_DEPTH}")
        self._spend(len(values))
        return tuple(
            Field(str(at), Type.EVENT, Event(NULL))
            if value is None
            else self._field(str(at), value, f"{place}.{at}", depth)
            for at, value in enumerate(values)
        )

    def _hinted(self, name: str, value: Any, hint: str) -> Field:
        match hint, value:
            case "longlong", int() if not isinstance(value, bool):
                return Field(name, Type.LONGLONG, value)
            case "octets", str():
                return Field(name, Type.OCTETS, _octets(value, name))
            case "double", str() if value in _SPECIAL:
                return Field(name, Type.DOUBLE, _SPECIAL[value])
            case "event", dict():
                return Field(name, Type.EVENT, from_plain(value, name))
        raise CodecError(f"{name}: a value of type {hint!r:.40} expected, found {_called(value)}")

    def _value(self, field: Field) -> tuple[Any, str]:
        value = field.value
        match field.type:
            case Type.LONGLONG if INT32_MIN <= value <= INT32_MAX:
                return value, "longlong"
            case Type.OCTETS if not self._binary:
                return base64.b64encode(value).decode("ascii"), "octets"
            case Type.DOUBLE if not self._binary and not math.isfinite(value):
                text = "NaN" if math.isnan(value) else f"{value}".replace("inf", "Infinity")
                return text, "double"
            case Type.EVENT:
                found = self._nested(value, 2)
                return (found, "") if found is not None else (to_plain(value), "event")
        return value, ""

    def _nested(self, event: Event, depth: int) -> Any:
        """Return an event as the object or array that it came of; None where it is neither."""
        if event.attributes or depth > MAX_DEPTH:
            return None
        values: dict[str, Any] = {}
        for field in event.parameters:
            if field.type is Type.EVENT:
                is_null = field.value == Event(NULL) and event.subject == ARRAY
                found = None if is_null else self._nested(field.value, depth + 1)
                if found is None and not is_null:
                    return None
            else:
                found, hint = self._value(field)
                if hint:
                    return None
            values[field.id] = found
        if event.subject == ARRAY and list(values) == [str(at) for at in range(len(values))]:
            return list(values.values())
        return values if event.subject == OBJECT else None


def _octets(text: str, place: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise CodecError(f"{place}: not base64: {error}") from error


def _called(value: Any) -> str:
    names: dict[type, str] = {dict: "an object", list: "an array", str: "a string", bytes: "octets"}
    if value is None or isinstance(value, bool):
        return str(value)
    return names.get(type(value), "a number" if isinstance(value, int | float) else "no JSON value")
