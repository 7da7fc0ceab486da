"""The bodies of messages: events that were checked where they entered the federation."""

import msgspec

from fes.errors import CodecError
from fes.model import Event, Type, binary

_decoder = msgspec.msgpack.Decoder(Event)


def read_body(body: bytes) -> Event:
    """Return the event in a message's body; check its form, and trust its values.

    Args:
        body: As `fes.model.binary` encodes an event.

    Raises:
        CodecError: The bytes are not an event.
    """
    try:
        event = _decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CodecError(f"not an event: {error}") from error
    for field in (*event.parameters, *event.attributes):
        if field.type is Type.EVENT:
            return binary.decode(body)
    return event
