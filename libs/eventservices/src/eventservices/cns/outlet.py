"""Where events wait for one consumer, and how many of them came to what end."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Iterable

from eventservices.cns.core import Core
from eventservices.cns.qos.terms import Terms
from eventservices.cns.queueing import EventQueue, Item

log = logging.getLogger(__name__)

CUSTOM_CLOCK_S = 0.05
"""Longest that a timer runs where a client's own clock may go faster, seconds."""


class Outlet(ABC):
    """Keeps the events of one consumer until it receives them.

    Args:
        core: The channel's inside.
        terms: The proxy's properties.

    Attributes:
        delivered: Events delivered to the consumer.
        failed: Events on which it raised.
        discarded: Events that a full queue discarded, or that waited when the consumer left.
        expired: Events whose time was over before they could be delivered.
        idle: Whether an event may go to the consumer at once, past the queue.
    """

    def __init__(self, core: Core, terms: Terms) -> None:
        self.delivered = 0
        self.failed = 0
        self.discarded = 0
        self.expired = 0
        self.idle = False
        self._core = core
        self._terms = terms
        self._queue = EventQueue(terms.order, terms.discard, self._limit(terms))
        self._counted = 0
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    @property
    def pending(self) -> int:
        """Events that wait."""
        return len(self._queue)

    @property
    def closed(self) -> bool:
        """Whether nothing is delivered any more."""
        return self._closed

    def put(self, item: Item, *, back: bool = False) -> None:
        """Accept an event; it is delivered now, later, or never.

        Args:
            item: The event.
            back: Whether it waited here before, and was accepted then.
        """
        core = self._core
        if item.expires_us is not None and item.expires_us <= max(
            core.now_us(), item.start_us or 0
        ):  # over already, or before it begins
            self._end_expired([item])
        elif not back and not core.find_place(item):
            core.refused += 1
            self._end_discarded([item])
        else:
            self._end_discarded(self._queue.put(item))
            self._count()
            if core.overfull:
                self._make_room()
            self._settle()

    def configure(self, terms: Terms) -> None:
        """Go on under other properties."""
        self._terms = terms
        limit = self._limit(terms)
        self._end_discarded(self._queue.configure(terms.order, terms.discard, limit))
        self._settle()

    def close(self) -> None:
        """Drop what waits; persistent events stay in their store."""
        self._closed = True
        self.idle = False
        self._cancel_timer()
        waiting = tuple(self._queue)
        for item in waiting:
            self._queue.remove(item)
        self.discarded += sum(item.receipt is None for item in waiting)
        self._count()

    @abstractmethod
    def _work(self) -> None:
        """Deliver what can be delivered."""

    @abstractmethod
    def _next_us(self) -> int | None:
        """Return when there is something to do besides what the queue knows."""

    def _settle(self) -> None:
        if self._closed:
            return
        self._count()
        self._work()
        self._count()
        self._arm()

    def _expire(self) -> None:
        self._end_expired(self._queue.expire(self._core.now_us()))

    def _take_out(self, items: Iterable[Item]) -> None:
        for item in items:
            self._queue.remove(item)
            item.done()
        self._count()

    def _count(self) -> None:
        now = len(self._queue)
        self._core.waiting += now - self._counted
        self._counted = now

    def _make_room(self) -> None:
        item = self._queue.discard()
        if item is not None:
            self._end_discarded([item])

    def _end_discarded(self, items: Iterable[Item]) -> None:
        for item in items:
            self.discarded += 1
            item.done()

    def _end_expired(self, items: Iterable[Item]) -> None:
        for item in items:
            self.expired += 1
            item.done()

    def _limit(self, terms: Terms) -> int:
        return terms.max_events or self._core.options.queued

    def _arm(self) -> None:
        self._cancel_timer()
        moments = [us for us in (self._queue.next_us(), self._next_us()) if us is not None]
        if not moments or self._closed:
            return
        delay_s = max(0.0, (min(moments) - self._core.now_us()) / 1_000_000)
        if self._core.clock_us is not None:
            delay_s = min(delay_s, CUSTOM_CLOCK_S)
        self._timer = asyncio.get_running_loop().call_later(delay_s, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self._expire()
        self._settle()

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
