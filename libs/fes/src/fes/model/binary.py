"""MessagePack codec: the form of events on links."""

from typing import Any

import msgspec

from fes.errors import CodecError, EventError
from fes.model.event import Event, Field, check_event
from fes.model.types import Type

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Event)


def encode(event: Event) -> bytes:
    """Return an event as MessagePack: `[subject, [[id, type, value]…], [[id, type, value]…]]`."""
    return _encoder.encode(event)


def decode(data: bytes) -> Event:
    """Return the event that `encode` wrote.

    Raises:
        CodecError: `data` is not MessagePack, or not an event; the message names the place.
    """
    try:
        event = _decoder.decode(data)
        if _has_nested(event):
            event = _revive(event, 0)
        return check_event(event)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CodecError(f"not an event: {error}") from error
    except CodecError:
        raise
    except EventError as error:
        raise CodecError(f"not an event: {error}") from error


def _has_nested(event: Event) -> bool:
    return any(f.type is Type.EVENT for f in event.parameters) or any(
        f.type is Type.EVENT for f in event.attributes
    )


def _revive(event: Event, depth: int) -> Event:
    if depth > 32:
        raise CodecError("events are nested deeper than 32")
    return Event(
        event.subject,
        tuple(_revive_field(field, depth) for field in event.parameters),
        tuple(_revive_field(field, depth) for field in event.attributes),
    )


def _revive_field(field: Field, depth: int) -> Field:
    if field.type is not Type.EVENT:
        return field
    nested: Any = msgspec.convert(field.value, Event)
    return Field(field.id, field.type, _revive(nested, depth + 1))
