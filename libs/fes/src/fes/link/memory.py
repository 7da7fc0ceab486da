"""The link where both ends are in one process: messages are passed unencoded.

Each direction has lanes with the same bounds as over a socket, and is woken once for all that
waits; so neither end ever runs inside the other's call. All links of a process have their turns one
after the other, and yield to the event loop in between.
"""

import logging

from fes.link.end import Message, Receiver
from fes.link.lanes import CONTROL_QUEUE, QUEUE, Lanes
from fes.link.turns import turns

AT_ONCE = 16
"""Most messages that one end receives before the next has its turn."""

_log = logging.getLogger(__name__)


class Inbox:
    """Messages that wait for one end.

    Args:
        queue: Most events that wait; above that the least urgent is dropped and counted.
        control: Most messages of control traffic that wait; further ones are dropped and counted.

    Attributes:
        closed: Whether this end accepts nothing any more.
        failed: Messages for which the receiver raised an error.
        taken: Messages that were passed to the receiver.
    """

    def __init__(self, queue: int, control: int) -> None:
        self.closed = False
        self.failed = 0
        self.taken = 0
        self._lanes = Lanes(queue, control)
        self._receiver: Receiver | None = None
        self._scheduled = False

    def receive_with(self, receiver: Receiver) -> None:
        """Pass to a function what comes, and what waits already."""
        self._receiver = receiver
        self._schedule()

    def displaced_with(self, receiver: Receiver) -> None:
        """Pass to a function each waiting message that is dropped for a more urgent one."""
        self._lanes.on_displaced = receiver

    @property
    def dropped(self) -> int:
        """Messages for which there was no room."""
        return self._lanes.dropped

    def put(self, message: Message) -> bool:
        """Queue a message; return False where it is dropped."""
        taken = not self.closed and self._lanes.put(message)
        self._schedule()
        return taken

    def _schedule(self) -> None:
        if self._scheduled or self._receiver is None or not self._lanes:
            return
        self._scheduled = True
        turns().put(self._deliver)

    def _deliver(self) -> bool:
        """Pass some of what waits to the receiver; return whether there is more."""
        receiver = self._receiver
        if receiver is None or self.closed:
            self._scheduled = False
            return False
        batch = self._lanes.take(AT_ONCE)
        self.taken += len(batch)
        for message in batch:
            self._hand_over(message, receiver)
        self._scheduled = bool(self._lanes)
        return self._scheduled

    def _hand_over(self, message: Message, receiver: Receiver) -> None:
        try:
            receiver(message)
        except Exception:  # noqa: BLE001 - what waits behind it is to be handed over
            _log.exception("receiving_failed")
            self.failed += 1


class MemoryEnd:
    """One end of a link in memory; see `LinkEnd`.

    Args:
        inbox: Messages for this end.
        outbox: Messages for the other end.
    """

    def __init__(self, inbox: Inbox, outbox: Inbox) -> None:
        self._inbox = inbox
        self._outbox = outbox
        self._unsent = 0

    def receive_with(self, receiver: Receiver) -> None:
        """Pass to a function what the other end sends."""
        self._inbox.receive_with(receiver)

    def displaced_with(self, receiver: Receiver) -> None:
        """Pass to a function each sent message that is dropped for a more urgent one."""
        self._outbox.displaced_with(receiver)

    def send(self, message: Message) -> bool:
        """Send a message to the other end."""
        if self._inbox.closed or self._outbox.closed:
            self._unsent += 1
            return False
        return self._outbox.put(message)

    async def close(self) -> None:
        """Close this end; what waits for it is not delivered."""
        self._inbox.closed = True

    @property
    def counters(self) -> dict[str, int]:
        """Messages sent, dropped, and those from the other end that could not be accepted."""
        return {
            "link_sent": self._outbox.taken,
            "link_dropped": self._unsent + self._outbox.dropped,
            "link_failed": self._inbox.failed,
        }


def memory_link(queue: int = QUEUE, control: int = CONTROL_QUEUE) -> tuple[MemoryEnd, MemoryEnd]:
    """Return the two ends of a link in memory.

    Args:
        queue: Most events that wait for each end.
        control: Most messages of control traffic that wait for each end.
    """
    one, other = Inbox(queue, control), Inbox(queue, control)
    return MemoryEnd(one, other), MemoryEnd(other, one)
