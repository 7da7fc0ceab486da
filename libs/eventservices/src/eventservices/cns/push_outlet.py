"""Hands waiting events to a consumer that is pushed to, one by one or in batches."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Final

from eventservices.cns.calls import Outcome
from eventservices.cns.core import Core
from eventservices.cns.outlet import Outlet
from eventservices.cns.qos.terms import Terms
from eventservices.cns.queueing import Item

log = logging.getLogger(__name__)

BURST: Final = 256
"""Most hand-overs before the event loop turns to others."""

FIRST_RETRY_US: Final = 50_000
LAST_RETRY_US: Final = 5_000_000

Deliver = Callable[[Sequence[Item]], Outcome]
"""Pushes events to the consumer."""


class PushOutlet(Outlet):
    """Pushes events to a consumer as soon as their time, its state and the batch size allow.

    A persistent event on which the consumer fails stays at the head, and is delivered again after a
    while; after `ChannelOptions.attempts` it is set aside.

    Args:
        core: The channel's inside.
        terms: The proxy's properties.
        deliver: Delivers events to the consumer.
        on_gone: Called when the consumer reported that it is gone.
        on_given_up: Called with each persistent event that is set aside.
        batches: Whether events are delivered in batches.

    Attributes:
        suspended: Whether events wait until `resume`.
    """

    def __init__(
        self,
        core: Core,
        terms: Terms,
        deliver: Deliver,
        on_gone: Callable[[], None],
        on_given_up: Callable[[Item], None],
        *,
        batches: bool,
    ) -> None:
        super().__init__(core, terms)
        self.suspended = False
        self._deliver = deliver
        self._on_gone = on_gone
        self._on_given_up = on_given_up
        self._batches = batches
        self._working = False
        self._since_us: int | None = None
        self._retry_us = 0
        self._set_idle()

    def suspend(self) -> None:
        """Let events wait from now on."""
        self.suspended = True
        self._set_idle()

    def resume(self) -> None:
        """Deliver again, first what has waited."""
        self.suspended = False
        self._expire()
        self._settle()

    def _work(self) -> None:
        if self._working:  # the consumer itself made something come
            return
        self._working = True
        try:
            more = self._hand_out_burst()
        finally:
            self._working = False
        if more:
            asyncio.get_running_loop().call_soon(self._settle)
        self._set_idle()

    def _hand_out_burst(self) -> bool:
        for _ in range(BURST):
            if self.suspended or self._closed:
                return False
            now_us = self._core.now_us()
            if now_us < self._retry_us:
                return False
            items = self._next(now_us)
            if not items or not self._hand_out(items, now_us):
                return False
        return True

    def _next(self, now_us: int) -> list[Item]:
        if not self._batches:
            return self._queue.head(1, now_us)
        size = self._terms.batch
        items = self._queue.head(size, now_us)
        if len(items) == size:
            self._since_us = None
            return items
        if not items or not self._terms.pacing_us:
            self._since_us = None
            return []
        if self._since_us is None:
            self._since_us = now_us
        if now_us - self._since_us < self._terms.pacing_us:
            return []
        self._since_us = None
        return items

    def _hand_out(self, items: list[Item], now_us: int) -> bool:
        outcome = self._deliver(items)
        if outcome is Outcome.GONE:
            self._on_gone()
            return False
        if outcome is Outcome.FAILED and self._again(items, now_us):
            return False
        self._retry_us = 0
        self.delivered += len(items)
        if outcome is Outcome.FAILED:
            self.failed += len(items)
            for item in items:
                if item.receipt is not None:
                    self._on_given_up(item)
        self._take_out(items)
        return True

    def _again(self, items: list[Item], now_us: int) -> bool:
        persistent = [item for item in items if item.receipt is not None]
        if not persistent:
            return False
        attempts = 0
        for item in persistent:
            item.attempts += 1
            attempts = max(attempts, item.attempts)
        if attempts >= self._core.options.attempts:
            return False
        self._retry_us = now_us + min(FIRST_RETRY_US * 2 ** (attempts - 1), LAST_RETRY_US)
        return True

    def _next_us(self) -> int | None:
        if self.suspended:
            return None
        moments = [self._retry_us] if self._retry_us and self.pending else []
        if self._since_us is not None:
            moments.append(self._since_us + self._terms.pacing_us)
        return min(moments, default=None)

    def _set_idle(self) -> None:
        terms = self._terms
        timed = terms.start_supported or terms.stop_supported
        self.idle = not (
            timed
            or self._batches
            or self.suspended
            or self._closed
            or self._working
            or self.pending
        )
