"""The header fields of a JMS message as attributes, and back.

Source:
    JMS 1.1, sections 3.4 and 3.5; Trythall, "JMS and CORBA Notification Interworking".
"""

from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from eventservices.jms.header import DEFAULT_PRIORITY, TEXTS, Header, is_text, producer_of
from eventservices.jms.message import JmsMessage
from eventservices.stamp import Stamp
from fes.mapping import Native
from fes.model import Event, Field, Type
from fes.model import attributes as standard
from fes.model.attributes import PRIORITY, RELIABILITY, TIMEOUT

HEADER_NAMES: Final = frozenset((*TEXTS, PRIORITY, RELIABILITY, TIMEOUT))
"""Attributes that are header fields."""

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


def read_fields(header: Header, others: frozenset[str]) -> Iterator[Field]:
    """Yield the attributes that the header fields of a message are.

    Args:
        header: The header fields.
        others: Attributes that the message has beside them, and that outweigh them.
    """
    for name, text in header.texts.items():
        yield Field(name, Type.STRING, text)
    if PRIORITY not in others and header.priority != DEFAULT_PRIORITY:
        yield Field(PRIORITY, Type.LONG, to_priority(header.priority))
    if TIMEOUT not in others and header.expires_ms > header.sent_ms > 0:
        yield Field(TIMEOUT, Type.DOUBLE, (header.expires_ms - header.sent_ms) / 1000)
    if RELIABILITY not in others and header.is_persistent:
        yield Field(RELIABILITY, Type.LONG, standard.PERSISTENT)


def fields_of(native: Native, expires_ms: int) -> Header:
    """Return the header fields for an event's attributes.

    Args:
        native: The event.
        expires_ms: When it is worthless, milliseconds since 1970 UTC; 0 for never.
    """
    event = Event(native.subject or "", (), native.attributes)
    texts = {field.id: field.value for field in native.attributes if is_header_text(field)}
    priority = to_jms_priority(standard.priority(event))
    return Header(priority, standard.is_persistent(event), expires_ms, 0, texts)


def is_header_text(field: Field) -> bool:
    """Return whether an attribute is a header field of text."""
    return field.type is Type.STRING and is_text(field.id, field.value)


def stamp_of(message: JmsMessage, sent_ms: int, home: str) -> Stamp | None:
    """Return the stamp that follows from a message's identifier: the same for whoever gets it.

    Args:
        message: The message.
        sent_ms: When it was sent, milliseconds since 1970 UTC.
        home: Event service.

    Returns:
        None where another broker made it.
    """
    found = producer_of(message.id)
    if found is None or len(origin := f"{home}/{found[0]}") > 512:
        return None
    return Stamp(origin, 1, found[1] + 1, sent_ms * 1000, home)
