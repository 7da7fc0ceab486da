"""How notifications travel on NATS: a MessagePack map of values by name."""

from typing import Any

import msgspec

from eventservices.errors import MalformedError
from eventservices.siena.notification import MAX_ATTRIBUTES, Notification
from eventservices.siena.values import check_name, check_value

_KNOWN_NAMES = 10_000

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(dict[str, Any])
_PLAIN = frozenset({str, float, bool, bytes})
_known: set[str] = set()


def encode(notification: Notification) -> bytes:
    """Return the payload that carries a notification."""
    return _encoder.encode(notification.attributes)


def decode(payload: bytes) -> Notification:
    """Return the notification that `encode` wrote.

    Raises:
        MalformedError: The payload is not a map of names to values of SIENA's; the message states
            why.
    """
    try:
        attributes = _decoder.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedError(f"payload is not a notification: {error}") from error
    if len(attributes) != _announced_length(payload):
        raise MalformedError("payload is not a notification: it has a name twice")
    if len(attributes) > MAX_ATTRIBUTES:
        raise MalformedError(f"payload has more than {MAX_ATTRIBUTES} attributes")
    for name, value in attributes.items():
        if name not in _known:
            _learn(name)
        if type(value) not in _PLAIN:
            check_value(name, value)
    return Notification(attributes, checked=True)


def _announced_length(payload: bytes) -> int:
    head = payload[0]
    if head < 0xDE:  # fixmap: 0x80 .. 0x8f
        return head & 0x0F
    return int.from_bytes(payload[1 : 3 if head == 0xDE else 5])


def _learn(name: str) -> None:
    check_name(name)
    if len(_known) < _KNOWN_NAMES:
        _known.add(name)
