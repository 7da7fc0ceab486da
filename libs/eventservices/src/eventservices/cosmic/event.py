"""Events as an application publishes and receives them, and the exceptions of channels."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from eventservices.cosmic.frame import Frame
from eventservices.stamp import Stamp


class Fault(Enum):
    """What an exception handler is reported.

    Attributes:
        MISSED: Subscriber: no event within a channel's period.
        DEADLINE: Publisher: an event was not sent by its deadline; it still is, while it is valid.
        EXPIRED: Publisher: an event was not sent while it was valid, and is no more.
        OMITTED: Publisher: an event was not sent: the bus did not accept it even once.
        OVERFLOW: Subscriber: the queue was full; the event is lost.
        UNSTAMPED: Subscriber: an event's attributes did not follow in time; it came without.
    """

    MISSED = "missed"
    DEADLINE = "deadline missed"
    EXPIRED = "expired"
    OMITTED = "omitted"
    OVERFLOW = "queue overflow"
    UNSTAMPED = "attributes missing"


@dataclass(frozen=True, slots=True)
class ChannelException:
    """Something that a channel could not do.

    Attributes:
        fault: What.
        subject: Of the channel.
        stamp: Of the event; None where none is meant, or it is not known.
        time_us: When; wall clock, microseconds since 1970 UTC.
    """

    fault: Fault
    subject: str
    stamp: Stamp | None
    time_us: int


OnException = Callable[[ChannelException], None]
"""Is called with what a channel could not do."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event to be published.

    Attributes:
        subject: Name of its channel.
        content: Octets; at most 8 on a real-time channel.
        attributes: What else is notified of it, by name.
        typed: Whether the content is a record.
        deadline_us: SRT: when it is to be sent, wall clock; the channel's where None.
        expires_us: SRT and NRT: when it is worth nothing any more, wall clock; the channel's where
            None.
    """

    subject: str
    content: bytes
    attributes: Mapping[str, Any] = field(default_factory=dict)
    typed: bool = False
    deadline_us: int | None = None
    expires_us: int | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """An event as it was received.

    Attributes:
        subject: Name of its channel; "" where only the identifier is known.
        content: Octets.
        stamp: Its identity; None where its publisher specified none, or it was not waited for.
        attributes: What else was notified of it.
        typed: Whether the content is a record.
        frame: The frame that brought it; the last one, of an event in fragments.
    """

    subject: str
    content: bytes
    stamp: Stamp | None
    attributes: Mapping[str, Any]
    typed: bool
    frame: Frame


OnEvent = Callable[[Delivery], None]
"""Is called with each event of a subscription."""
