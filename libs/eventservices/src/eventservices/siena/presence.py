"""Control messages: by them the connections of a service know of each other's clients.

A connection announces each change of its subscriptions and advertisements, and its version every
few seconds. Who misses something requests the whole state. Messages are MessagePack arrays.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from eventservices.errors import MalformedError

Name = Annotated[str, Meta(min_length=1, max_length=255)]
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]

PART_BYTES = 64 * 1024
MAX_PARTS = 4096


class Kind(StrEnum):
    """What a client declared."""

    SUBSCRIPTION = "s"
    ADVERTISEMENT = "a"


Key = tuple[Kind, str, str, str]
"""What is declared: its kind, by which party, filter and pattern as texts."""


class Who(Struct, frozen=True, array_like=True):
    """The connection that speaks.

    Attributes:
        connection: Its identifier, never used twice.
        server: Identifier of the server that it is connected to.
        index: Index attribute that it uses; None for none.
        started_us: When it was made, microseconds since 1970 UTC.
        version: Grows by one with each change of its entries.
        semantics: What decides on delivery, as it sees it.
    """

    connection: Name
    server: str
    index: str | None
    started_us: int
    version: Count
    semantics: Annotated[str, Meta(max_length=255)] = "subscription"


class Entry(Struct, frozen=True, array_like=True):
    """One subscription or advertisement of one party.

    Attributes:
        kind: Which of both.
        party: Name of the client.
        role: What the client states that it is; free text.
        filter: SENP text.
        version: The connection's version that brought it.
        pattern: SENP text of the pattern that the filter is part of; empty where of none.
    """

    kind: Kind
    party: Name
    role: Annotated[str, Meta(max_length=255)]
    filter: str
    version: Count
    pattern: str = ""

    @property
    def key(self) -> Key:
        """What reports it from the other entries of its connection."""
        return (self.kind, self.party, self.filter, self.pattern)


class Digest(Struct, frozen=True, array_like=True, tag="digest"):
    """States that a connection is alive, and its version."""

    who: Who


class Query(Struct, frozen=True, array_like=True, tag="query"):
    """Requests the state of all connections, or of the one it is sent to."""

    who: Who


class State(Struct, frozen=True, array_like=True, tag="state"):
    """Carries part `part` of `parts` of a connection's entries at a version."""

    who: Who
    part: Count
    parts: Annotated[int, Meta(ge=1, le=MAX_PARTS)]
    entries: tuple[Entry, ...]


class Change(Struct, frozen=True, array_like=True, tag="change"):
    """States what changed from the version before `who.version`."""

    who: Who
    added: tuple[Entry, ...]
    removed: tuple[Entry, ...]


class Bye(Struct, frozen=True, array_like=True, tag="bye"):
    """States that a connection ends."""

    who: Who


class Probe(Struct, frozen=True, array_like=True, tag="probe"):
    """Requests an answer from one connection, at another server."""

    who: Who
    number: Count


class Ack(Struct, frozen=True, array_like=True, tag="ack"):
    """Answers a probe; `who.server` is the server that passed it on."""

    who: Who
    number: Count


Message = Digest | Query | State | Change | Bye | Probe | Ack

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Message)


def encode(message: Message) -> bytes:
    """Return a control message's bytes."""
    return _encoder.encode(message)


def decode(payload: bytes) -> Message:
    """Return the control message that `encode` wrote.

    Raises:
        MalformedError: The bytes are none; the message names the place.
    """
    try:
        message: Message = _decoder.decode(payload)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedError(f"no control message: {error}") from error
    return message


def state_parts(who: Who, entries: Iterable[Entry]) -> Iterator[State]:
    """Return a connection's state in messages of a moderate size; at least one."""
    chunks: list[list[Entry]] = [[]]
    size = 0
    for entry in entries:
        size += len(entry.filter) + len(entry.pattern) + len(entry.party) + len(entry.role) + 32
        if size > PART_BYTES and chunks[-1]:
            chunks.append([])
            size = 0
        chunks[-1].append(entry)
    for number, chunk in enumerate(chunks):
        yield State(who, number, len(chunks), tuple(chunk))
