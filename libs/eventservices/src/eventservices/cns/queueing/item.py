"""One event in one consumer's queue."""

from dataclasses import dataclass, field
from typing import Protocol

from eventservices.cns.event import AnyEvent, StructuredEvent
from eventservices.cns.moved import Moved
from eventservices.stamp import Stamp


class Receipt(Protocol):
    """What the store of persistent events needs to know about one of them."""

    def done(self) -> None:
        """Note that the consumer has received the event, or never will; the store may forget it."""


@dataclass(slots=True, eq=False)
class Item:
    """One event in one consumer's queue.

    Attributes:
        event: The event.
        stamp: Its stamp; None where it has none.
        priority: Larger goes first.
        deadline_us: By when it should be delivered, microseconds since 1970 UTC; None for never.
        expires_us: When it is dropped, on the same clock; None for never.
        start_us: When it may be delivered, on the same clock; None for at once.
        receipt: Of a persistent event.
        moved: How it came through connected channels; None where it was published here.
        received_us: When the channel received it, microseconds since 1970 UTC.
        attempts: Times that the consumer failed on it.
        arrival: Number in the order of arrival; the queue assigns it.
        waiting: Whether it is in the queue; the queue sets it.
    """

    event: AnyEvent | StructuredEvent
    stamp: Stamp | None = None
    priority: int = 0
    deadline_us: int | None = None
    expires_us: int | None = None
    start_us: int | None = None
    receipt: Receipt | None = None
    moved: Moved | None = None
    received_us: int = 0
    attempts: int = 0
    arrival: int = field(default=0)
    waiting: bool = field(default=False)

    def done(self) -> None:
        """Note that the consumer has received the event, or never will."""
        if self.receipt is not None:
            self.receipt.done()
