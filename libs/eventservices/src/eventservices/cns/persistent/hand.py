"""The events that a consumer has in hand, and those that it has finished. No I/O."""

from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from eventservices.cns.persistent.replies import Delivery

FINISHED_KEPT: Final = 4096
"""Most finished events that are remembered, in case the broker missed their acknowledgement."""


@dataclass(slots=True, eq=False)
class Held:
    """An event in hand; finished when its consumer has had it.

    Attributes:
        hand: Where it is kept.
        number: Its number in the stream.
        stored_us: When the broker stored it, microseconds since 1970 UTC.
        reply: Subject on which it is acknowledged.
        touched_s: When the broker was last notified of it, monotonic seconds.
    """

    hand: "Hand"
    number: int
    stored_us: int
    reply: str
    touched_s: float
    finished: bool = field(default=False)

    def done(self) -> None:
        """Acknowledge the event; harmless when repeated."""
        if not self.finished:
            self.finished = True
            self.hand.finish(self)


class Hand:
    """Keeps account of what was delivered and not acknowledged.

    Args:
        on_ack: Called when there is something to acknowledge.

    Attributes:
        held: Events in hand, by number.
        finished: Events finished lately, by number.
        acks: Subjects on which acknowledgements are to be sent.
    """

    def __init__(self, on_ack: Callable[[], None]) -> None:
        self.held: dict[int, Held] = {}
        self.finished: OrderedDict[int, None] = OrderedDict()
        self.acks: deque[str] = deque()
        self._on_ack = on_ack

    def __len__(self) -> int:
        """Return how many events are in hand."""
        return len(self.held)

    def take(self, delivery: Delivery, reply: str, now_s: float) -> Held | None:
        """Accept an event that was delivered.

        Return None where it is in progress or finished already.

        Args:
            delivery: Which it is.
            reply: Subject on which it is acknowledged.
            now_s: Monotonic time, seconds.
        """
        known = self.held.get(delivery.sequence)
        if known is not None:  # the broker only lost patience
            known.reply = reply
            return None
        if delivery.sequence in self.finished:
            self.acks.append(reply)
            self._on_ack()
            return None
        held = Held(self, delivery.sequence, delivery.stored_us, reply, now_s)
        self.held[delivery.sequence] = held
        return held

    def finish(self, held: Held) -> None:
        """Note that the consumer has received an event."""
        if self.held.get(held.number) is not held:
            return  # of another stream
        del self.held[held.number]
        self.finished[held.number] = None
        if len(self.finished) > FINISHED_KEPT:
            self.finished.popitem(last=False)
        self.acks.append(held.reply)
        self._on_ack()

    def untouched(self, since_s: float, now_s: float) -> list[Held]:
        """Return the events of which the broker was not notified, and count them as notified now.

        Args:
            since_s: Since when, monotonic seconds.
            now_s: Monotonic time, seconds.
        """
        found = [held for held in self.held.values() if held.touched_s < since_s]
        for held in found:
            held.touched_s = now_s
        return found

    def clear(self) -> None:
        """Forget all: the stream is another one. What is in hand is acknowledged no more."""
        self.held.clear()
        self.finished.clear()
        self.acks.clear()
