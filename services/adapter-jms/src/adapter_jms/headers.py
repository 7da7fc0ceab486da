"""The header fields of a JMS message as attributes, and back.

Source:
    JMS 1.1, sections 3.4 and 3.5; Trythall, "JMS and CORBA Notification Interworking".
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Final

from eventservices.stamp import Stamp
from fes.mapping import Native
from fes.model import Event, Field, Type
from fes.model import attributes as standard
from fes.model.attributes import PRIORITY, RELIABILITY, TIMEOUT

TYPE: Final = "JMSType"
CORRELATION: Final = "JMSCorrelationID"
REPLY_TO: Final = "JMSReplyTo"

TEXTS: Final = {TYPE: "type", CORRELATION: "correlation-id", REPLY_TO: "reply-to"}
"""Attributes that are header fields, to the header of their frame."""

HEADER_NAMES: Final = frozenset((*TEXTS, PRIORITY, RELIABILITY, TIMEOUT))
"""Attributes that are header fields."""

DEFAULT_PRIORITY: Final = 4

_PRIORITIES: Final = tuple(
    round((each - 4) / (4 if each <= 4 else 5) * 32767) for each in range(10)
)


def to_priority(jms: int) -> int:
    """Return the priority of the federation for one of JMS, 0 to 9: linear on either side of 4."""
    return _PRIORITIES[jms]


def to_jms_priority(priority: int) -> int:
    """Return the nearest priority of JMS, 0 to 9; of two the one nearer to 4."""
    at = bisect_left(_PRIORITIES, priority)
    if at == 0 or (at < len(_PRIORITIES) and _PRIORITIES[at] == priority):
        return at
    if at == len(_PRIORITIES):
        return at - 1
    below, above = priority - _PRIORITIES[at - 1], _PRIORITIES[at] - priority
    if below == above:
        return at - 1 if at > DEFAULT_PRIORITY else at
    return at - 1 if below < above else at


def read_fields(frame: Mapping[str, str], others: frozenset[str]) -> Iterator[Field]:
    """Yield the attributes that the header fields of a message are.

    Args:
        frame: Headers of its frame.
        others: Attributes that the message has beside them, and that outweigh them.
    """
    for name, header in TEXTS.items():
        if frame.get(header):
            yield Field(name, Type.STRING, frame[header])
    jms = _whole(frame.get("priority", ""))
    if PRIORITY not in others and 0 <= jms <= 9 and jms != DEFAULT_PRIORITY:
        yield Field(PRIORITY, Type.LONG, to_priority(jms))
    expires, sent = _whole(frame.get("expires", "")), _whole(frame.get("timestamp", ""))
    if TIMEOUT not in others and expires > sent > 0:
        yield Field(TIMEOUT, Type.DOUBLE, (expires - sent) / 1000)
    if RELIABILITY not in others and frame.get("persistent") == "true":
        yield Field(RELIABILITY, Type.LONG, standard.PERSISTENT)


def write_fields(native: Native, expires_ms: int) -> dict[str, str]:
    """Return the headers of the frame for an event's attributes.

    Args:
        native: The event.
        expires_ms: When it is worthless, milliseconds since 1970 UTC; 0 for never.
    """
    event = Event(native.subject or "", (), native.attributes)
    by_name = {field.id: field for field in native.attributes}
    headers = {
        "priority": str(to_jms_priority(standard.priority(event))),
        "persistent": "true" if standard.is_persistent(event) else "false",
        "expires": str(expires_ms),
    }
    for name, header in TEXTS.items():
        if is_header_text(by_name.get(name)):
            headers[header] = by_name[name].value
    return headers


def is_header_text(field: Field | None) -> bool:
    """Return whether an attribute is a header field of text."""
    return (
        field is not None
        and field.id in TEXTS
        and field.type is Type.STRING
        and bool(field.value)
        and field.value.isprintable()
        and (field.id != REPLY_TO or field.value.startswith(("/topic/", "/queue/")))
    )


def stamp_of(frame: Mapping[str, str], home: str) -> Stamp | None:
    """Return the stamp that follows from a message's identifier: the same for whoever gets it.

    ActiveMQ numbers the messages of a producer: `ID:<connection>:<session>:<producer>:<number>`.

    Args:
        frame: Headers of its frame.
        home: Event service.

    Returns:
        None where another broker made it.
    """
    producer, _, number = frame.get("message-id", "").rpartition(":")
    if not producer.startswith("ID:") or not (number.isascii() and number.isdigit()):
        return None
    sent = _whole(frame.get("timestamp", ""))
    origin = f"{home}/{producer}"
    if len(origin) > 512 or len(number) > 18:
        return None
    return Stamp(origin, 1, int(number) + 1, max(0, sent) * 1000, home)


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else -1
