"""CloudEvents 1.0: context attributes as attributes of the event, named `ce-id`, `ce-source` ….

In binary mode they are headers and the payload is the data; in structured mode one JSON object has
both. What an event of the federation has not, and CloudEvents need, is made of its stamp, and
recognised when it comes back.

Source:
    CloudEvents 1.0.2: section 2 (attributes), JSON event format, NATS and MQTT protocol bindings.
"""

import base64
import contextlib
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import quote

from eventservices.errors import MalformedError
from eventservices.stamp import Stamp, pack, unpack

from fes.errors import CodecError
from fes.model import Field, Type
from fes.payload.bindings import PREFIX, VERSION, check_needed
from fes.payload.headers import ATTRIBUTES, TYPES

CONTENT_TYPE: Final = "application/cloudevents+json"

_STAMP: Final = "fesstamp"
_EXTENSIONS: Final = {"festypes": TYPES, "fesattributes": ATTRIBUTES}
_KEPT: Final = "/.:@+~-_"
_DATA: Final = ("data", "data_base64")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def made_of(stamp: Stamp, subject: str) -> dict[str, str]:
    """Return the context of an event that brings none, by attribute; always the same."""
    made = {
        "specversion": VERSION,
        "id": f"{quote(stamp.origin)}/{stamp.epoch}/{stamp.sequence}",
        "source": f"/{quote(stamp.home)}",
        "type": quote(subject, safe=_KEPT),
    }
    with contextlib.suppress(OverflowError):  # a year that has no date
        moment = _EPOCH + timedelta(microseconds=stamp.time_us)
        made["time"] = moment.isoformat().replace("+00:00", "Z")
    return {f"{PREFIX}{name}": text for name, text in made.items()}


def with_context(attributes: tuple[Field, ...], made: Mapping[str, str]) -> tuple[Field, ...]:
    """Return attributes to which what a CloudEvent needs was added."""
    known = {field.id for field in attributes}
    # First, as what follows an attribute that has no header of its own has none either.
    added = (Field(name, Type.STRING, text) for name, text in made.items() if name not in known)
    return (*added, *attributes)


def without_made(attributes: tuple[Field, ...], made: Mapping[str, str]) -> tuple[Field, ...]:
    """Return attributes without what `with_context` added."""
    return tuple(field for field in attributes if made.get(field.id) != field.value)


def embedded(headers: Mapping[str, str], stamp: Stamp) -> dict[str, str]:
    """Return the extensions that represent headers where a message has none."""
    extensions = {name: headers[key] for name, key in _EXTENSIONS.items() if key in headers}
    return {**extensions, _STAMP: pack(stamp)}


def take_embedded(context: dict[str, Any]) -> tuple[dict[str, str], Stamp | None]:
    """Return the headers and the stamp that extensions represent, and remove them.

    Raises:
        CodecError: One is not text, or the stamp is not well formed.
    """
    found = {name: context.pop(name) for name in (*_EXTENSIONS, _STAMP) if name in context}
    if not all(isinstance(text, str) for text in found.values()):
        raise CodecError("an extension of the federation is not a text")
    headers = {key: found[name] for name, key in _EXTENSIONS.items() if name in found}
    try:
        return headers, unpack(found[_STAMP]) if _STAMP in found else None
    except MalformedError as error:
        raise CodecError(str(error)) from error


def to_structured(context: Mapping[str, Any], data: Any, *, is_octets: bool) -> dict[str, Any]:
    """Return the JSON object of a CloudEvent.

    Args:
        context: Attributes, without `ce-`.
        data: A plain value, or octets.
        is_octets: Whether `data` is octets.
    """
    body = {"data_base64": base64.b64encode(data).decode()} if is_octets else {"data": data}
    return {**context, **body}


def from_structured(value: Any) -> tuple[dict[str, Any], Any]:
    """Return the context of a CloudEvent in structured mode, and its data.

    Returns:
        The data is octets, a plain value, or None where there is none.

    Raises:
        CodecError: A needed attribute is missing, or one is not a string, integer or boolean.
    """
    if not isinstance(value, dict):
        raise CodecError("a CloudEvent is an object")
    check_needed(value)
    context = {name: item for name, item in value.items() if name not in _DATA and item is not None}
    wrong = [name for name, item in context.items() if not isinstance(item, str | int)]
    if wrong:
        raise CodecError(f"attribute {wrong[0][:80]!r} of a CloudEvent has a value of no such type")
    if "data_base64" not in value:
        return context, value.get("data")
    if "data" in value:
        raise CodecError("a CloudEvent has data once")
    try:
        return context, base64.b64decode(value["data_base64"], validate=True)
    except (TypeError, ValueError) as error:
        raise CodecError(f"data_base64: {error}") from error
