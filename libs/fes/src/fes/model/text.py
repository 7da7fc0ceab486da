"""JSON codec: the form in which people read and write events. Exact in both directions.

An event is `{"subject": …, "parameters": {…}, "attributes": {…}}`; members keep their order.
Strings, booleans and integers are plain, a double always has a fraction or an exponent.
What JSON cannot express is wrapped: `{"double": "NaN"}`, `{"octets": "<base64>"}`,
`{"event": {…}}`, and `{"longlong": 5}` where a longlong would fit a long.
"""

import base64
import binascii
import json
import math
from typing import Any

from fes.errors import CodecError, EventError
from fes.model.event import MAX_DEPTH, Event, Field, check_event
from fes.model.strict import parse_json
from fes.model.types import INT32_MAX, INT32_MIN, Type, type_of

_MEMBERS = ("subject", "parameters", "attributes")
_SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def to_json(event: Event, indent: int | None = None) -> str:
    """Return an event as JSON text."""
    return json.dumps(to_plain(event), ensure_ascii=False, allow_nan=False, indent=indent)


def from_json(text: str | bytes) -> Event:
    """Return the event in a JSON text.

    Raises:
        CodecError: The text is not JSON (bare NaN, duplicate keys and depth over 32 are refused),
            or not an event; the message names the place.
    """
    return from_plain(load_json(text))


def load_json(text: str | bytes) -> Any:
    """Return the plain value of a JSON text, strictly.

    Raises:
        CodecError: As for `from_json`.
    """
    try:
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
    except UnicodeDecodeError as error:
        raise CodecError(f"not JSON: {error}") from error
    _check_depth(decoded)
    return parse_json(decoded)


def to_plain(event: Event) -> dict[str, Any]:
    """Return an event as dictionaries that JSON can express."""
    return {
        "subject": event.subject,
        "parameters": {field.id: _plain_value(field) for field in event.parameters},
        "attributes": {field.id: _plain_value(field) for field in event.attributes},
    }


def from_plain(plain: Any, place: str = "event") -> Event:
    """Return the event in plain dictionaries.

    Raises:
        CodecError: A member is missing, unknown or of the wrong kind; the message names it.
    """
    if not isinstance(plain, dict):
        raise CodecError(f"{place}: expected an object, found {type(plain).__name__}")
    unknown = [key for key in plain if key not in _MEMBERS]
    if unknown:
        raise CodecError(f"{place}: unknown member {unknown[0]!r}")
    subject = plain.get("subject")
    if not isinstance(subject, str):
        raise CodecError(f"{place}.subject: expected a string")
    event = Event(
        subject,
        _fields(plain.get("parameters", {}), f"{place}.parameters"),
        _fields(plain.get("attributes", {}), f"{place}.attributes"),
    )
    try:
        return check_event(event)
    except EventError as error:
        raise CodecError(f"{place}: {error}") from error


def _plain_value(field: Field) -> Any:
    value = field.value
    match field.type:
        case Type.OCTETS:
            return {"octets": base64.b64encode(value).decode("ascii")}
        case Type.EVENT:
            return {"event": to_plain(value)}
        case Type.DOUBLE if not math.isfinite(value):
            return {"double": "NaN" if math.isnan(value) else f"{value}".replace("inf", "Infinity")}
        case Type.LONGLONG if INT32_MIN <= value <= INT32_MAX:
            return {"longlong": value}
        case _:
            return value


def _fields(plain: Any, place: str) -> tuple[Field, ...]:
    if not isinstance(plain, dict):
        raise CodecError(f"{place}: expected an object, found {type(plain).__name__}")
    return tuple(_field(key, value, f"{place}.{key}") for key, value in plain.items())


def _field(key: str, plain: Any, place: str) -> Field:
    if isinstance(plain, dict):
        return _unwrap(key, plain, place)
    try:
        return Field(key, type_of(plain, place), plain)
    except EventError as error:
        raise CodecError(str(error)) from error


def _unwrap(key: str, plain: dict[str, Any], place: str) -> Field:
    if len(plain) != 1:
        raise CodecError(f"{place}: a wrapped value has exactly one member")
    ((kind, inner),) = plain.items()
    match kind, inner:
        case "double", str() if inner in _SPECIAL:
            return Field(key, Type.DOUBLE, _SPECIAL[inner])
        case "double", int() | float() if not isinstance(inner, bool):
            return Field(key, Type.DOUBLE, float(inner))
        case "octets", str():
            return Field(key, Type.OCTETS, _octets(inner, place))
        case "event", dict():
            return Field(key, Type.EVENT, from_plain(inner, place))
        case "longlong", int() if not isinstance(inner, bool):
            return Field(key, Type.LONGLONG, inner)
    raise CodecError(f"{place}: cannot read {kind!r} from {str(inner)[:40]!r}")


def _octets(text: str, place: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise CodecError(f"{place}: not base64: {error}") from error


def _check_depth(text: str) -> None:
    depth = 0
    inside = escaped = False
    for char in text:
        if inside:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                inside = False
        elif char == '"':
            inside = True
        elif char in "[{":
            depth += 1
            if depth > 3 * MAX_DEPTH:
                raise CodecError(f"not JSON: nested deeper than {MAX_DEPTH} events")
        elif char in "]}":
            depth -= 1
