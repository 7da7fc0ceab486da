"""Properties of an MQTT 5 PUBLISH, as bytes and back.

Source:
    MQTT 5.0, sections 2.2.2 and 3.3.2.3.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eventservices.errors import MalformedError

MAX_EXPIRY_S = 0xFFFF_FFFF
"""Longest that a message may wait; longer is for ever."""

_EXPIRY, _CONTENT_TYPE, _RESPONSE, _CORRELATION, _USER = 0x02, 0x03, 0x08, 0x09, 0x26
_LONGEST = 0xFFFF


@dataclass(frozen=True, slots=True)
class Properties:
    """What a message contains beside its payload.

    Attributes:
        user: Names and values, in order; a name may occur again.
        content_type: "" where it is not specified.
        expiry_s: How long the broker keeps the message for who is away; None for ever.
        response_topic: Where an answer is awaited; "" where none is.
        correlation: What an answer is to repeat; empty where nothing is.
        retained: Whether the broker keeps, or had kept, the message as its topic's last.
    """

    user: tuple[tuple[str, str], ...] = ()
    content_type: str = ""
    expiry_s: int | None = None
    response_topic: str = ""
    correlation: bytes = b""
    retained: bool = False

    def encode(self) -> bytes:
        """Return the properties of a PUBLISH, with their length.

        Raises:
            MalformedError: A text or the correlation is longer than 65,535 bytes.
        """
        parts = [bytes((_USER,)) + _text(name) + _text(value) for name, value in self.user]
        if self.content_type:
            parts.append(bytes((_CONTENT_TYPE,)) + _text(self.content_type))
        if self.expiry_s is not None:
            parts.append(bytes((_EXPIRY,)) + min(self.expiry_s, MAX_EXPIRY_S).to_bytes(4))
        if self.response_topic:
            parts.append(bytes((_RESPONSE,)) + _text(self.response_topic))
        if self.correlation:
            parts.append(bytes((_CORRELATION,)) + _counted(self.correlation))
        body = b"".join(parts)
        return variable(len(body)) + body

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "Properties":
        """Return the properties of a message, as gmqtt reports them."""

        def first(name: str, default: Any) -> Any:
            values = told.get(name)
            return values[0] if values else default

        return cls(
            tuple((str(name), str(value)) for name, value in told.get("user_property", ())),
            str(first("content_type", "")),
            first("message_expiry_interval", None),
            str(first("response_topic", "")),
            bytes(first("correlation_data", b"")),
            bool(told.get("retain")),
        )


def variable(number: int) -> bytes:
    """Return a variable byte integer."""
    head = bytearray()
    while number > 127:
        head.append(number & 0x7F | 0x80)
        number >>= 7
    head.append(number)
    return bytes(head)


def _text(text: str) -> bytes:
    return _counted(text.encode())


def _counted(data: bytes) -> bytes:
    if len(data) > _LONGEST:
        raise MalformedError(f"a property of {len(data)} bytes exceeds the limit of {_LONGEST}")
    return len(data).to_bytes(2) + data
