"""NATS messages as native events of the federation, and back: the headers of a message."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from eventservices.natsstamp import header_of, read_stamp
from eventservices.stamp import HEADER, Stamp, unpack
from fes.adapter.plain.codec import Message
from fes.payload.headers import read_block

MESSAGE_ID = "Nats-Msg-Id"
"""Header by which a JetStream stream, where one stores the subject, recognises a repeated
message."""


@dataclass(frozen=True, slots=True)
class Head:
    """The headers of a message.

    Attributes:
        stamp: None where its publisher does not stamp.
        headers: All headers.
        repeated: Number of repeated headers, which are left out.
    """

    stamp: Stamp | None
    headers: dict[str, str]
    repeated: int = 0


class NatsMessage(NamedTuple):
    """A message from the native client.

    Attributes:
        subject: The subject at the server.
        payload: Its bytes.
        headers: The block of headers, empty where there is none; from a stream, headers by name.
        reply: Subject for an answer; "" where none is expected.
        is_control: Whether it came by the subscription to control events.
        kept: From a stream: the stamp that follows from its number; None from core NATS.
    """

    subject: str
    payload: bytes
    headers: bytes | Mapping[str, str]
    reply: str = ""
    is_control: bool = False
    kept: Stamp | None = None


def read_head(block: bytes | Mapping[str, str]) -> Head:
    """Return the headers of a message.

    Raises:
        MalformedError: Its stamp is not well formed.
    """
    if not block:
        return Head(None, {})
    if isinstance(block, bytes):
        stamp = read_stamp(block)
        headers, repeated = read_block(block)
    else:
        headers, repeated = dict(block), 0
        stamp = unpack(headers[HEADER]) if HEADER in headers else None
    if stamp is not None:
        headers.pop(MESSAGE_ID, None)
    return Head(stamp, headers, repeated)


def write_head(message: Message, stamp: Stamp) -> dict[str, str]:
    """Return the headers of a message that is published with a stamp."""
    identity = f"{stamp.origin}/{stamp.epoch}/{stamp.sequence}@{stamp.home}"
    own = {MESSAGE_ID: identity} if identity.isascii() and identity.isprintable() else {}
    return {**header_of(stamp), **own, **message.packed.headers}
