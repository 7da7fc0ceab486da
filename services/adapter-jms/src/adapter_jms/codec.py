"""Frames of STOMP as messages of JMS with their properties, and back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from eventservices.jms.header import read_header, write_header
from eventservices.jms.message import JmsMessage
from eventservices.jms.properties import PropertyType, write_property
from eventservices.stamp import HEADER, Stamp, pack, unpack
from fes.adapter.plain.codec import Message
from fes.mapping import Native
from fes.model import Field
from fes.payload.bodies import CONTENT_TYPES
from fes.payload.headers import ATTRIBUTES, CONTENT_TYPE, TYPES, write_headers
from fes.payload.packing import Packed

from adapter_jms.headers import fields_of, is_header_text, read_fields, stamp_of
from adapter_jms.names import CLIENT, OPAQUE, OWN, PROPERTIES

_FROM_OWN: Final = {native: header for header, native in OWN.items()}
_AS_ONE: Final = (ATTRIBUTES, TYPES, CONTENT_TYPE)
_BYTES: Final = (CONTENT_TYPES["raw"], CONTENT_TYPES["msgpack"])


@dataclass(frozen=True, slots=True)
class Head:
    """What accompanies the body of a message.

    Attributes:
        stamp: Its own, or the one that follows from its identifier; None where there is neither.
        is_stamped: Whether its publisher stamped it.
        headers: Properties, in the form that plain adapters share.
        attributes: Of its header fields.
    """

    stamp: Stamp | None
    is_stamped: bool
    headers: dict[str, str]
    attributes: tuple[Field, ...]


def read_head(
    message: JmsMessage, declared: Mapping[str, PropertyType], home: str, *, is_control: bool
) -> Head:
    """Return what accompanies the body of a message.

    Args:
        message: The message.
        declared: Properties that are parameters.
        home: Event service.
        is_control: Whether it came by the subscription to control events.

    Raises:
        MalformedError: Its stamp is not well formed.
    """
    headers = {
        _FROM_OWN.get(name) or PROPERTIES.read(name): text
        for name, text in message.properties.items()
        if name not in declared and name not in (CLIENT, OPAQUE)
    }
    if message.content_type:
        headers[CONTENT_TYPE] = message.content_type
    header, text = read_header(message.frame), headers.pop(HEADER, None)
    stamp = stamp_of(message, header.sent_ms, home) if text is None else unpack(text)
    if CLIENT in message.frame and not is_control:
        # An adapter wrote all attributes as one: JMS keeps no order of properties.
        headers = {name: text for name, text in headers.items() if name in _AS_ONE}
        return Head(stamp, text is not None, headers, ())
    return Head(stamp, text is not None, headers, tuple(read_fields(header, frozenset(headers))))


def write_head(
    message: Message, native: Native, stamp: Stamp, client: str, expires_ms: int
) -> dict[str, str]:
    """Return the headers of the frame of a message that is published under a stamp."""
    headers = dict(message.packed.headers)
    content_type = headers.pop(CONTENT_TYPE, "")
    own = {OWN.get(name) or PROPERTIES.write(name): text for name, text in headers.items()}
    told = {"content-type": content_type} if content_type else {}
    if ATTRIBUTES in headers:
        told[OPAQUE] = "true"
    if native.attributes:
        as_one = write_headers(native.attributes, {}, as_one=True)[ATTRIBUTES]
        told[OWN[ATTRIBUTES]] = as_one
    return {
        **write_header(fields_of(native, expires_ms)),
        **own,
        **told,
        OWN[HEADER]: pack(stamp),
        CLIENT: client,
    }


def properties_of(
    parameters: tuple[Field, ...], declared: Mapping[str, PropertyType]
) -> tuple[dict[str, str], int]:
    """Return the properties of parameters, and how many cannot be of their type.

    A message that has such a parameter passes every selector.
    """
    found: dict[str, str] = {}
    lost = 0
    for field in parameters:
        kind = declared.get(field.id)
        if kind is not None:
            text = write_property(field.value, kind)
            if text is None:
                lost += 1
            else:
                found[field.id] = text
    return ({**found, OPAQUE: "true"} if lost else found), lost


def without_fields(attributes: tuple[Field, ...]) -> tuple[Field, ...]:
    """Return the attributes that are no header fields of JMS."""
    return tuple(field for field in attributes if not is_header_text(field))


def is_bytes(packed: Packed) -> bool:
    """Return whether a body is published as a bytes message."""
    return packed.headers.get(CONTENT_TYPE, "").partition(";")[0] in _BYTES
