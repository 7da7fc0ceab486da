"""Properties of MQTT 5 as the headers of a message, and back."""

from dataclasses import dataclass
from math import ceil
from typing import Final

from eventservices.stamp import HEADER, Stamp, pack, unpack
from eventservices.steam.properties import Properties
from fes.adapter.plain.codec import Message
from fes.mapping import Native
from fes.model import Field, Type
from fes.model.attributes import TIMEOUT
from fes.payload.headers import CONTENT_TYPE

RETAINED: Final = "Retained"
"""Boolean attribute of an event that the broker keeps as its topic's last, or had kept."""

DELETED: Final = "RetainedDeleted"
"""Boolean attribute of an event without parameters: what the broker kept is deleted."""

RESPONSE_TOPIC: Final = "ResponseTopic"
CORRELATION: Final = "CorrelationData"

_OWN: Final = (RETAINED, DELETED, RESPONSE_TOPIC, CORRELATION)


@dataclass(frozen=True, slots=True)
class Head:
    """The properties beside a payload.

    Attributes:
        stamp: None where its publisher does not stamp.
        headers: User properties and the content type.
        attributes: Attributes for the other properties.
        repeated: Number of user properties with a repeated name, which are left out.
    """

    stamp: Stamp | None
    headers: dict[str, str]
    attributes: tuple[Field, ...]
    repeated: int = 0


def read_head(properties: Properties, *, is_empty: bool) -> Head:
    """Return the properties beside a payload.

    Args:
        properties: Properties of the message.
        is_empty: Whether its payload is empty; a retained empty message deletes.

    Raises:
        MalformedError: Its stamp is not well formed.
    """
    headers: dict[str, str] = {}
    for name, value in properties.user:
        headers.setdefault(name, value)
    text = headers.pop(HEADER, None)
    stamp = None if text is None else unpack(text)
    if properties.content_type:
        headers[CONTENT_TYPE] = properties.content_type
    found: list[Field] = []
    if properties.expiry_s is not None and TIMEOUT not in headers:
        found.append(Field(TIMEOUT, Type.DOUBLE, float(properties.expiry_s)))
    if properties.response_topic:
        found.append(Field(RESPONSE_TOPIC, Type.STRING, properties.response_topic))
    if properties.correlation:
        found.append(Field(CORRELATION, Type.OCTETS, properties.correlation))
    if properties.retained:
        found.append(Field(DELETED if is_empty else RETAINED, Type.BOOLEAN, True))
    repeated = len(properties.user) - len({name for name, _ in properties.user})
    return Head(stamp, headers, tuple(found), repeated)


def without_own(attributes: tuple[Field, ...]) -> tuple[Field, ...]:
    """Return the attributes that have no property of their own."""
    return tuple(field for field in attributes if field.id not in _OWN)


def write_head(message: Message, native: Native, stamp: Stamp) -> Properties:
    """Return the properties of a message that is published with a stamp."""
    headers = dict(message.packed.headers)
    content_type = headers.pop(CONTENT_TYPE, "")
    told = {field.id: field for field in native.attributes}
    response, correlation = told.get(RESPONSE_TOPIC), told.get(CORRELATION)
    return Properties(
        ((HEADER, pack(stamp)), *headers.items()),
        content_type,
        _expiry_s(told.get(TIMEOUT)),
        response.value if response and response.type is Type.STRING else "",
        correlation.value if correlation and correlation.type is Type.OCTETS else b"",
    )


def is_true(native: Native, name: str) -> bool:
    """Return whether an event has an attribute that is true."""
    return any(field.id == name and field.value is True for field in native.attributes)


def _expiry_s(timeout: Field | None) -> int | None:
    """Return whole seconds, never less than the timeout; the adapters apply its fraction."""
    if timeout is None or timeout.type is not Type.DOUBLE or not 0 <= timeout.value < 2**32:
        return None
    seconds: float = timeout.value
    return ceil(seconds)
