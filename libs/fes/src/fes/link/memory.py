"""The link where both ends are in one process: messages are passed unencoded.

Each direction has lanes with the same bounds as over a socket, and is woken once for all that
waits; so neither end ever runs inside the other's call. All links of a process have their turns one
after the other, and yield to the event loop in between.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from typing import Final

from eventservices.per_loop import PerLoop

from fes.link.end import Message, Receiver
from fes.link.lanes import CONTROL_QUEUE, QUEUE, Lanes

AT_ONCE: Final = 16
"""Most messages that one end receives before the next has its turn."""

SLICE_S: Final = 0.003
"""Longest duration of one slice, except for the piece of work that runs at its end."""

Work = Callable[[], bool]
"""Does some of the work; returns whether there is more."""

_log = logging.getLogger(__name__)


class Inbox:
    """Messages that wait for one end.

    Args:
        queue: Most events that wait; above that the least urgent is dropped and counted.
        control: Most messages of control traffic that wait; further ones are dropped and counted.

    Attributes:
        closed: Whether this end accepts nothing any more.
        failed: Messages for which the receiver raised an error.
        passed: Messages that were passed to the receiver.
    """

    def __init__(self, queue: int, control: int) -> None:
        self.closed = False
        self.failed = 0
        self.passed = 0
        self._lanes = Lanes(queue, control)
        self._receiver: Receiver | None = None
        self._scheduled = False

    def receive_with(self, receiver: Receiver) -> None:
        """Pass to a function what comes, and what waits already."""
        self._receiver = receiver
        if self._lanes.count:
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
        if self.closed or not self._lanes.put(message):
            return False
        self._schedule()
        return True

    def _schedule(self) -> None:
        if not self._scheduled and self._receiver is not None:
            self._scheduled = True
            turns().put(self._deliver)

    def _deliver(self) -> bool:
        """Pass some of what waits to the receiver; return whether there is more."""
        receiver = self._receiver
        if receiver is None or self.closed:
            self._scheduled = False
            return False
        batch = self._lanes.take(AT_ONCE)
        self.passed += len(batch)
        for message in batch:
            self._pass(message, receiver)
        self._scheduled = self._lanes.count > 0
        return self._scheduled

    def _pass(self, message: Message, receiver: Receiver) -> None:
        try:
            receiver(message)
        except Exception:  # noqa: BLE001 - what waits behind it is to be passed on
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
            "link_sent": self._outbox.passed,
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


class Turns:
    """Runs pieces of work in turns.

    Attributes:
        slices: How often it yielded to the loop with work left.
    """

    def __init__(self) -> None:
        self.slices = 0
        self._waiting: deque[Work] = deque()
        self._scheduled = False

    def put(self, work: Work) -> None:
        """Queue some work after all that waits already."""
        self._waiting.append(work)
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._run)

    def _run(self) -> None:
        end_s = time.perf_counter() + SLICE_S
        waiting = self._waiting
        while waiting:
            work = waiting.popleft()
            if work():
                waiting.append(work)
            if time.perf_counter() >= end_s:
                break
        self._scheduled = bool(waiting)
        if self._scheduled:
            self.slices += 1
            asyncio.get_running_loop().call_soon(self._run)


turns: Final = PerLoop(Turns)
"""Returns the turns of the running event loop."""
