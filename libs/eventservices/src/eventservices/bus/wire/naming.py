"""Queries to a naming server, and what it answers, as MessagePack.

Source:
    Smart-building thesis, sections 4.4.7 and 5.7, appendix A.
"""

from typing import Final, Literal

import msgspec

from eventservices.bus.wire.messages import MessageError

MOST_HOPS: Final = 40


class AddName(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Adds a bus to an event's sources, or renews it.

    Attributes:
        name: Of the event.
        bus: With a source of it.
        at_us: When the bus sent it, by its own clock: what it sent before is void.
        hops: Servers that passed it on.
    """

    name: str
    bus: str
    at_us: int
    hops: int = 0


class RemoveName(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Removes a bus from an event's sources; see `AddName`."""

    name: str
    bus: str
    at_us: int
    hops: int = 0


class Lookup(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Requests the buses with sources of an event."""

    name: str
    hops: int = 0


Query = AddName | RemoveName | Lookup


class Result(msgspec.Struct, frozen=True, array_like=True):
    """Answers a query.

    Attributes:
        state: `known`: it is done, or these are all sources, maybe none. `pending`: a server on the
            path is away, and it is tried again. `unknown`: that is not known now.
        buses: Of `known` sources.
        lifetime_us: How long the answer may be used; microseconds.
        cached: Whether it is a copy, which may be as old as lifetimes allow.
        reason: Why it is not known; "" where it is.
    """

    state: Literal["known", "pending", "unknown"]
    buses: tuple[str, ...] = ()
    lifetime_us: int = 0
    cached: bool = False
    reason: str = ""


_ENCODER: Final = msgspec.msgpack.Encoder()
_QUERIES: Final = msgspec.msgpack.Decoder(Query)
_RESULTS: Final = msgspec.msgpack.Decoder(Result)


def encode(message: Query | Result) -> bytes:
    """Return the bytes of a query or a result."""
    return _ENCODER.encode(message)


def decode_query(data: bytes) -> Query:
    """Return a query.

    Raises:
        MessageError: It is none.
    """
    try:
        found: Query = _QUERIES.decode(data)
    except msgspec.DecodeError as error:
        raise MessageError(f"not a query of the naming service: {error}") from error
    return found


def decode_result(data: bytes) -> Result:
    """Return a result.

    Raises:
        MessageError: It is none.
    """
    try:
        return _RESULTS.decode(data)
    except msgspec.DecodeError as error:
        raise MessageError(f"not a result of the naming service: {error}") from error


def subject(building: str, server: str) -> str:
    """Return the NATS subject of a naming server, by the host that its file names."""
    return f"evbus.{building}.names.{server}"
