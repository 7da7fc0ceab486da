"""What buses send one another, as MessagePack.

Source:
    Smart-building thesis, appendix A: `EBSubscribe`, `EBUnsubscribe` and `EBNotify`, with what a
    medium that loses, repeats and reorders messages needs beside them.
"""

from typing import Any, Final

import msgspec

from eventservices.bus.errors import BusError
from eventservices.bus.filters import Filter
from eventservices.stamp import Stamp


class Event(msgspec.Struct, frozen=True, array_like=True):
    """One event.

    Attributes:
        name: Of the event.
        values: Parameters, in order.
        stamp: Its identity.
        attributes: Attributes, in order.
        persistent: Whether it outlives restarts of buses.
    """

    name: str
    values: dict[str, Any]
    stamp: Stamp
    attributes: dict[str, Any] = {}
    persistent: bool = False


class EBSubscribe(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Requests events of a source's bus; again with another filter replaces the one before.

    Attributes:
        name: Of the event.
        sink: Number of the sink at the requesting bus.
        version: Grows with each request for the sink; an older one is ignored.
        filter: Applied at the source; None for all.
        user: As the sink's bus vouches for.
        device: Type of the sink's device.
        durable: Whether the sink outlives restarts of its bus.
        since_us: When the sink subscribed, where it waited for a source: it also gets what a new
            source has sent since; 0 otherwise. Microseconds since 1970 UTC.
    """

    name: str
    sink: int
    version: int
    filter: Filter | None
    user: str
    device: str
    durable: bool = False
    since_us: int = 0


class EBSubscribed(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Answers `EBSubscribe`.

    Attributes:
        name, sink, version: Of the request.
        problem: Why not; "" where it is granted.
        unknown: Whether the bus has no source of the event.
    """

    name: str
    sink: int
    version: int
    problem: str = ""
    unknown: bool = False


class EBUnsubscribe(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Ends a sink's subscription."""

    name: str
    sink: int
    version: int


class EBNotify(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Brings one event to one bus, for however many of its sinks.

    Attributes:
        lane: Names this sequence of messages; another one begins a new sequence.
        number: Of the message in its lane; events that a filter stops have none.
        before: Number of the message before it; 0 where it is the lane's first.
        sinks: Whose filters the event passed; empty where a right was revoked meanwhile.
        event: The event.
    """

    lane: int
    number: int
    before: int
    sinks: tuple[int, ...]
    event: Event


class EBAccepted(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Confirms what a bus has received in a lane, up to a number, and names sinks it has not."""

    name: str
    lane: int
    number: int
    unknown: tuple[int, ...] = ()


class EBLaneUnknown(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Reports that a bus does not know what a message follows: it was restarted.

    Attributes:
        last: Number of the last event that it knows of.
    """

    name: str
    lane: int
    last: int


class EBRevoked(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Reports that a sink's right was withdrawn; what waits for it is withdrawn, too."""

    name: str
    sink: int
    reason: str


class EBWho(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Queries all buses which has a source of an event."""

    name: str


class EBHave(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Reports a source of an event at the sending bus."""

    name: str


class EBHello(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Reports that a bus is alive.

    Attributes:
        incarnation: Another after each restart.
        sources: Grows with each change of the names that it has sources of.
        dropped: Grows with each bus whose subscriptions it abandoned.
    """

    incarnation: int
    sources: int
    dropped: int = 0


class EBGone(msgspec.Struct, frozen=True, array_like=True, tag=True):
    """Reports that a bus ends, in order."""


Message = (
    EBSubscribe | EBSubscribed | EBUnsubscribe | EBNotify | EBAccepted | EBLaneUnknown
    | EBRevoked | EBWho | EBHave | EBHello | EBGone
)  # fmt: skip

_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(Message)


class MessageError(BusError, ValueError):
    """Raised when what came from another bus is not a message."""


def encode(message: Message) -> bytes:
    """Return a message's bytes."""
    return _ENCODER.encode(message)


def decode(data: bytes) -> Message:
    """Return the message that `encode` wrote.

    Raises:
        MessageError: It is none.
    """
    try:
        found: Message = _DECODER.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        raise MessageError(f"not a message of a bus: {error}") from error
    return found
