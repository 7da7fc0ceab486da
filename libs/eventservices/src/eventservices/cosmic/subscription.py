"""Subscriptions: what a node requested, and how it is delivered."""

import asyncio
from collections import deque
from typing import Final

from eventservices.canlog.j1939 import group_of
from eventservices.cosmic.attributes import ChannelAttributes
from eventservices.cosmic.event import ChannelException, Delivery, Fault, OnEvent, OnException
from eventservices.cosmic.identifier import TimeClass
from eventservices.cosmic.medium import Medium
from eventservices.errors import NotConnectedError

QUEUE: Final = 256
"""Events that wait to be fetched, where a subscription does not state how many may."""

Key = int | tuple[int, bool]
"""What is subscribed to: an etag, or a whole identifier and whether it has 29 bits.

A parameter group of SAE J1939 is written as an identifier of more than 29 bits.
"""

_GROUP: Final = 1 << 29


def group_key(can_id: int) -> Key:
    """Return the key of all identifiers of one's parameter group."""
    return _GROUP | group_of(can_id), True


def is_group(key: Key) -> bool:
    """Return whether a key is of a parameter group."""
    return isinstance(key, tuple) and key[0] >= _GROUP


class Subscription:
    """One subscription of a node.

    Events go to its handler at once; without one they wait to be fetched with `get`.

    Attributes:
        key: What is subscribed to.
        subject: Of the channel; "" where an identifier was subscribed to.
        attributes: What the channel guarantees.
        lost: Events lost because the queue was full.
    """

    def __init__(
        self,
        bus: Medium,
        key: Key,
        subject: str,
        attributes: ChannelAttributes,
        on_event: OnEvent | None,
        on_exception: OnException | None,
        queue: int,
    ) -> None:
        self.key = key
        self.subject = subject
        self.attributes = attributes
        self.lost = 0
        self._bus = bus
        self._on_event = on_event
        self._on_exception = on_exception
        self._queue: deque[Delivery] = deque()
        self._most = queue
        self._came = asyncio.Event()
        self._closed = False
        self._watchdog: asyncio.TimerHandle | None = None
        self._watch()

    async def get(self) -> Delivery:
        """Return the next event that waits; wait for one where none does.

        Raises:
            NotConnectedError: The subscription was cancelled, and nothing is left.
        """
        while not self._queue:
            if self._closed:
                raise NotConnectedError(f"the subscription to {self.subject!r} was cancelled")
            self._came.clear()
            await self._came.wait()
        return self._queue.popleft()

    def deliver(self, delivery: Delivery) -> None:
        """Accept an event; the node calls it."""
        self._watch()
        if self._on_event is not None:
            self._bus.call(self._on_event, delivery)
        elif len(self._queue) < self._most:
            self._queue.append(delivery)
            self._came.set()
        else:
            self.lost += 1
            self.fault(Fault.OVERFLOW, delivery)

    def fault(self, fault: Fault, delivery: Delivery | None = None) -> None:
        """Call the exception handler, if there is one."""
        if self._on_exception is not None:
            stamp = delivery.stamp if delivery is not None else None
            told = ChannelException(fault, self.subject, stamp, self._bus.now_us())
            self._bus.call(self._on_exception, told)

    def close(self) -> None:
        """Accept no more; what waits can still be fetched."""
        self._closed = True
        self._came.set()
        if self._watchdog is not None:
            self._watchdog.cancel()
            self._watchdog = None

    def _watch(self) -> None:
        """Wait for the next event of a periodic channel."""
        periodic = self.attributes.time_class is TimeClass.HRT and self.attributes.period_us
        if not periodic or self._closed:
            return
        if self._watchdog is not None:
            self._watchdog.cancel()
        loop = asyncio.get_running_loop()
        wait_s = (periodic + self.attributes.tolerance_us) / 1e6
        self._watchdog = loop.call_later(wait_s, self._missed)

    def _missed(self) -> None:
        self._watchdog = None
        self.fault(Fault.MISSED)
        self._watch()
