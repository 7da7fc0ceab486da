"""The header fields of a message, as STOMP writes them.

Source:
    JMS 1.1, sections 3.4 and 3.5; ActiveMQ 5.17, STOMP.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

TYPE: Final = "JMSType"
CORRELATION: Final = "JMSCorrelationID"
REPLY_TO: Final = "JMSReplyTo"

TEXTS: Final = {TYPE: "type", CORRELATION: "correlation-id", REPLY_TO: "reply-to"}
"""Header fields that applications fill with text, to the header of the frame."""

DEFAULT_PRIORITY: Final = 4


@dataclass(frozen=True, slots=True)
class Header:
    """The header fields of a message.

    Attributes:
        priority: 0 to 9.
        is_persistent: Whether the broker keeps the message over a restart.
        expires_ms: When the broker forgets it, milliseconds since 1970 UTC; 0 for never.
        sent_ms: When it was sent, milliseconds since 1970 UTC; 0 where that is not known.
        texts: Those of `TEXTS` that are not empty.
    """

    priority: int
    is_persistent: bool
    expires_ms: int
    sent_ms: int
    texts: Mapping[str, str]


def read_header(frame: Mapping[str, str]) -> Header:
    """Return the header fields of a frame; what is not well formed counts as absent."""
    priority = _whole(frame.get("priority", ""))
    return Header(
        priority if 0 <= priority <= 9 else DEFAULT_PRIORITY,
        frame.get("persistent") == "true",
        max(0, _whole(frame.get("expires", ""))),
        max(0, _whole(frame.get("timestamp", ""))),
        {name: frame[header] for name, header in TEXTS.items() if frame.get(header)},
    )


def write_header(header: Header) -> dict[str, str]:
    """Return the headers of a frame; the broker adds when it is sent."""
    return {
        "priority": str(header.priority),
        "persistent": "true" if header.is_persistent else "false",
        "expires": str(header.expires_ms),
        **{TEXTS[name]: text for name, text in header.texts.items()},
    }


def is_text(name: str, value: str) -> bool:
    """Return whether a header field may have a value; where answers go is a destination."""
    is_destination = name != REPLY_TO or value.startswith(("/topic/", "/queue/"))
    return name in TEXTS and bool(value) and value.isprintable() and is_destination


def producer_of(identifier: str) -> tuple[str, int] | None:
    """Return the producer of a message and its number, from the message's identifier.

    ActiveMQ numbers the messages of a producer: `ID:<connection>:<session>:<producer>:<number>`.

    Returns:
        None where another broker made the identifier.
    """
    producer, _, number = identifier.rpartition(":")
    found = _whole(number)
    return (producer, found) if producer.startswith("ID:") and found >= 0 else None


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else -1
