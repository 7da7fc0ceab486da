"""Events in the form of STEAM, and back: exact in both directions.

STEAM's integers have no width, and it has no events in events. Where a type would come back
changed, the attribute `FES_Types` states it: `{"parameters": {"serial": "longlong"}}`.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

import msgspec
from eventservices.steam import Event, Notification
from fes.errors import AdapterError, CodecError
from fes.mapping import Native
from fes.model import Field, Type
from fes.model.attributes import PROXIMITY
from fes.model.text import from_json, to_json
from fes.model.types import INT32_MAX, INT32_MIN

from adapter_steam.proximity import area_of, format_area

TYPES_ATTRIBUTE = "FES_Types"
"""Attribute that states types; an application's own one of that name has one `_` more on the
air."""

KEPT_TYPES = 1024
"""Most texts of types that are remembered; the one unused longest is dropped first."""

KEPT_CHARACTERS = 4096
"""Longest text that is remembered: longer ones, from unknown nodes, would fill the memory."""

_Mark = Literal["longlong", "event"]
_NO_MARKS: dict[str, _Mark] = {}

_STRING, _LONG, _LONGLONG, _EVENT = Type.STRING, Type.LONG, Type.LONGLONG, Type.EVENT
_BY_CLASS: dict[type, Type] = {
    str: Type.STRING,
    float: Type.DOUBLE,
    bool: Type.BOOLEAN,
    bytes: Type.OCTETS,
}


class Types(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Types that STEAM's own types do not determine.

    Attributes:
        parameters: Types by identifier.
        attributes: Types by identifier on the air.
    """

    parameters: dict[str, _Mark] = {}
    attributes: dict[str, _Mark] = {}


def to_steam(native: Native) -> Event:
    """Return an event in the form in which a STEAM node publishes it.

    Raises:
        AdapterError: It has no subject, or an attribute `Proximity` that is not valid.
    """
    if native.subject is None or native.octets is not None:
        raise AdapterError("a STEAM event has a subject and parameters, not a payload of octets")
    marked: dict[str, _Mark] = {}
    parameters = _values(native.parameters, marked)
    if not native.attributes:
        values: dict[str, Any] = {}
        if marked:
            values[TYPES_ATTRIBUTE] = _text(Types(marked))
        return Event(native.subject, parameters, values)
    context = _guarded(native.attributes)
    marked_context: dict[str, _Mark] = {}
    values = _values(context, marked_context)
    if marked or marked_context:
        values[TYPES_ATTRIBUTE] = _text(Types(marked, marked_context))
    return Event(native.subject, parameters, values, area_of(context))


def to_native(notification: Notification) -> Native:
    """Return the native event that a STEAM node received.

    The proximity of an event that its own producer stamped is that producer's, and becomes the
    attribute `Proximity`. An access point that republishes an event of others keeps its proximity,
    if it has one, in that attribute; the proximity on the air is then only the access point's.

    Raises:
        CodecError: The types that the event states are not those of its values.
    """
    values, stamp = notification.attributes, notification.stamp
    types = _types(values) if TYPES_ATTRIBUTE in values else None
    parameters = _fields(notification.parameters, types.parameters if types else _NO_MARKS)
    context = _fields(values, types.attributes if types else _NO_MARKS) if values else []
    if any(map(_is_ours, values)):
        context = _unguarded(context)
    if stamp.origin == notification.node and PROXIMITY not in values:
        context.append(Field(PROXIMITY, _STRING, format_area(notification.proximity)))
    return Native(notification.subject, tuple(parameters), tuple(context), time_us=stamp.time_us)


def _values(fields: tuple[Field, ...], marked: dict[str, _Mark]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field in fields:
        value = field.value
        if field.type is _LONGLONG:
            if INT32_MIN <= value <= INT32_MAX:
                marked[field.id] = "longlong"
        elif field.type is _EVENT:
            marked[field.id] = "event"
            value = to_json(value)
        values[field.id] = value
    return values


def _fields(values: Mapping[str, Any], marks: Mapping[str, _Mark]) -> list[Field]:
    fields = []
    for name, value in values.items():
        kind = _BY_CLASS.get(value.__class__)
        if kind is None:
            kind = _LONG if INT32_MIN <= value <= INT32_MAX else _LONGLONG
        if name in marks:
            fields.append(_marked(name, kind, value, marks[name]))
        else:
            fields.append(Field(name, kind, value))
    return fields


def _marked(name: str, kind: Type, value: Any, mark: _Mark) -> Field:
    if mark == "longlong" and kind in (_LONG, _LONGLONG):
        return Field(name, _LONGLONG, value)
    if mark == "event" and kind is _STRING:
        return Field(name, _EVENT, from_json(value))
    raise CodecError(f"{TYPES_ATTRIBUTE}: {name[:60]!r} is not of type {mark}")


def _guarded(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    """Return attributes, with one `_` more in the name of an application's own `FES_Types`."""
    if not any(_is_ours(field.id) for field in fields):
        return fields
    return tuple(
        Field(f"{field.id}_", field.type, field.value) if _is_ours(field.id) else field
        for field in fields
    )


def _unguarded(fields: list[Field]) -> list[Field]:
    return [
        Field(field.id[:-1], field.type, field.value) if _is_ours(field.id) else field
        for field in fields
        if field.id != TYPES_ATTRIBUTE
    ]


def _is_ours(name: str) -> bool:
    return name.startswith(TYPES_ATTRIBUTE) and not name[len(TYPES_ATTRIBUTE) :].strip("_")


def _text(types: Types) -> str:
    return msgspec.json.encode(types).decode()


def _types(values: Mapping[str, Any]) -> Types:
    text = values[TYPES_ATTRIBUTE]
    if not isinstance(text, str):
        raise CodecError(f"{TYPES_ATTRIBUTE} is not a text")
    return _parsed(text) if len(text) <= KEPT_CHARACTERS else _parsed.__wrapped__(text)


@lru_cache(KEPT_TYPES)
def _parsed(text: str) -> Types:
    try:
        return msgspec.json.decode(text, type=Types)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise CodecError(f"{TYPES_ATTRIBUTE}: {error}") from error
