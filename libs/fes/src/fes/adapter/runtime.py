"""The runtime of an adapter: connects it with its gateway, the same for all kinds."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Self
from zlib import crc32

from eventservices.attention import attentively
from eventservices.ending import ended
from eventservices.slices import shared_slice
from eventservices.stamp import Stamp as NativeStamp
from eventservices.stamp import Stamper

from fes.adapter.base import AnyAdapter
from fes.adapter.event_log import Recording
from fes.adapter.inbound.acknowledgements import Acknowledgements, Answer
from fes.adapter.inbound.observed_requests import ObservedRequests
from fes.adapter.inbound.receiver import REASON, Inbound
from fes.adapter.observed import Observed
from fes.adapter.outbound.order_queue import QUEUE, Orders
from fes.adapter.outbound.performer import Outbound
from fes.adapter.replicas import Line, Multiplexer
from fes.errors import FesError
from fes.eventlog import Decision
from fes.eventlog.writer import Log
from fes.link.end import LinkEnd, Message
from fes.link.messages import Counted, Order, Publish
from fes.mapping import Native
from fes.model import Event

PROBE_S = 2.0
"""Pause between two probes, times 0.75 to 1.25."""

PROBE_TIMEOUT_S = 5.0
RESTART_S = 1.0
FIRST_RETRY_S, MOST_RETRY_S = 0.2, 5.0

_log = logging.getLogger(__name__)


class AdapterRuntime:
    """Runs one adapter: connects it, performs the gateway's orders, sends what it receives.

    Args:
        adapter: The adapter.
        log: The event log.
        queue: Most publications that wait for the event service, and most requests to forward;
            further ones are dropped and counted.
    """

    def __init__(self, adapter: AnyAdapter, log: Log, queue: int = QUEUE) -> None:
        self.adapter = adapter
        self.ready = False
        self.reason = "not connected yet"
        self._record = Recording(adapter.context, log).record
        self._wake = asyncio.Event()
        self._connected = asyncio.Event()
        self._granted = asyncio.Event()
        self._granted.set()
        self._released = asyncio.Event()
        self._releases = 0
        self._proved = False
        self._observes = False
        self._dropped = 0
        self._task_failures = 0
        context = adapter.context
        stamper = Stamper(context.id, context.service, clock_us=context.clock_us)
        self.epoch = stamper.epoch
        self.multiplexer = board = Multiplexer(self)
        self._line = board.line()
        self.inbound = Inbound(context, board.hear, self._record, stamper, board.hear_control)
        self.outbound = Outbound(adapter, self.inbound, board.answer, self._record, stamper)
        self.observing = ObservedRequests(context, board.ask, self._record, stamper)
        self._orders = Orders(queue, self.outbound.holds, self._displaced)
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        """Start: connecting continues in the background until it succeeds."""
        self._record(Decision.STARTED)
        self._tasks = [
            asyncio.create_task(self._keep_up(name, act), name=f"{self.adapter.id} {name}")
            for name, act in (
                ("connecting", self._connect),
                ("performing", self._perform),
                ("watching", self._watch),
                ("switching", self.multiplexer.run),
            )
        ]
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop gracefully: withdraw what was subscribed and announced, then disconnect."""
        await self.stop()

    def link(self) -> Line:
        """Return the receiver of a link to one more replica of the gateway."""
        return self.multiplexer.line()

    def attach(self, end: LinkEnd) -> None:
        """Use a link to a gateway before anything is received over it."""
        self._line.up(end, at_once=True)

    def detach(self) -> None:
        """Stop using that link; what is received meanwhile is dropped, or delivered again."""
        self._line.down()

    def refused(self, reason: str) -> None:
        """Release the event service: the gateway has another adapter of this identifier.

        What was subscribed and announced is withdrawn and the native connection closed, until a
        link is granted: two adapters of one name would deprive each other of events and
        connections. A link to another replica that is still up outweighs the refusal.

        Args:
            reason: The gateway's reason.
        """
        if self.multiplexer.attached or not self._granted.is_set():
            return
        self._granted.clear()
        self.ready, self.reason = False, reason[:REASON]
        self._wake.set()

    def granted(self) -> None:
        """Connect to the event service again, after `refused`; idempotent."""
        self._granted.set()

    def receive(self, order: Message) -> None:
        """Accept an order that came over that link."""
        self._line.receive(order)

    def displaced(self, message: Message) -> None:
        """Accept a message sent over that link that was dropped for a more urgent one."""
        self._line.displaced(message)

    async def stop(self) -> None:
        """Withdraw natively and disconnect; idempotent."""
        tasks, self._tasks = self._tasks, []
        if not tasks:
            return
        await ended(*tasks, again_s=PROBE_TIMEOUT_S)
        await self._leave()
        while self._orders:
            self._drop(self._orders.take(), "stopped")
        self._record(Decision.STOPPED)

    def counted(self) -> Counted:
        """Return the adapter's counters and state."""
        counters = {
            **self.inbound.counters,
            **self.outbound.counters,
            **self.outbound.subscribing.natives.counters,
            **self.outbound.degrading.counters,
            **self.observing.counters,
            **self.multiplexer.counters,
            "queue_dropped": self._dropped,
            "native_releases": self._releases,
            "task_failed": self._task_failures,
            **{f"native_{name}": count for name, count in self.adapter.counters.items()},
        }
        return Counted(self.ready, self.reason, counters)

    def heard(
        self, native: Native, stamp: NativeStamp | None, answer: Answer | None = None
    ) -> None:
        """Accept a native event; see `Sink`."""
        self.inbound.heard(native, stamp, answer)

    def heard_control(self, event: Event, stamp: NativeStamp | None) -> None:
        """Accept a control event; see `Sink`."""
        self.inbound.heard_control(event, stamp)

    def observed(self, seen: Observed) -> None:
        """Accept what a native client declared; see `Sink`."""
        self.observing.observed(seen)

    def set_aside(self, reason: str, raw: bytes) -> None:
        """Accept what could not be read; see `Sink`."""
        self.inbound.set_aside(reason, raw)

    @property
    def acknowledgements(self) -> Acknowledgements:
        """Pending answers to the event service; see `Inside`."""
        return self.inbound.acknowledgements

    def take(self, order: Order) -> None:
        """Accept an order, which waits for the event service; see `Inside`."""
        if not self._orders.put(order):
            self._drop(order, "adapter queue full")
        self._wake.set()

    def dropped(self, message: Message, reason: str) -> None:
        """Log a message that no replica received, or an order that is not permitted.

        See `Inside`.
        """
        stamp, subject = getattr(message, "stamp", None), getattr(message, "subject", "")
        self._record(Decision.DROPPED, stamp=stamp, subject=subject, reason=reason)

    def linked(self) -> None:
        """Send the gateway again what is observed; see `Inside`."""
        self.observing.linked()

    async def _keep_up(self, name: str, act: Callable[[], Awaitable[None]]) -> None:
        """Run a task again after an unexpected error, and log the error."""
        while True:
            try:
                await act()
            except Exception as error:  # noqa: BLE001 - it is reported as not ready, and the task begins again
                _log.exception("task_failed", extra={"adapter": self.adapter.id, "task": name})
                self._task_failures += 1
                self.ready, self.reason = False, f"{name} failed: {error!r}"[:REASON]
                self.multiplexer.tell(self.counted())
                await asyncio.sleep(RESTART_S)
            else:
                return

    async def _connect(self) -> None:
        while True:
            await self._granted.wait()
            if not await self._connect_once():
                return
            await self._released.wait()
            self._released.clear()
            await self._granted.wait()
            self.take(self.multiplexer.whole())

    async def _connect_once(self) -> bool:
        """Connect; return whether another attempt is needed."""
        delay_s = FIRST_RETRY_S
        while self._granted.is_set():
            await self.adapter.disconnect()  # an attempt before may have failed halfway
            try:
                await self.adapter.connect(self)
            except FesError as error:
                self.reason = str(error)
                await self.adapter.disconnect()
                if not error.retryable:
                    return False
                await asyncio.sleep(delay_s)
                delay_s = min(MOST_RETRY_S, delay_s * 2)
            else:
                self._connected.set()
                self._wake.set()
                return True
        self._released.set()
        return True

    async def _perform(self) -> None:
        while True:
            await self._connected.wait()
            await self._wake.wait()
            self._wake.clear()
            while self._granted.is_set() and (self._orders or self._proved):
                await self._perform_next()
            if not self._granted.is_set():
                await self._release()

    async def _release(self) -> None:
        try:
            await self._leave()
        finally:
            self._connected.clear()
            self._proved = self._observes = False
            self.outbound.forget()
            while self._orders:
                self._drop(self._orders.take(), "refused by the gateway")
            self._releases += 1
            _log.warning(
                "native_connection_released",
                extra={"adapter": self.adapter.id, "reason": self.reason},
            )
            self._released.set()

    async def _leave(self) -> None:
        """Withdraw natively and disconnect, as far as time permits."""
        try:
            async with asyncio.timeout(PROBE_TIMEOUT_S):
                await self._withdraw()
        except TimeoutError:
            _log.warning("withdrawing_took_too_long", extra={"adapter": self.adapter.id})
        try:
            async with asyncio.timeout(PROBE_TIMEOUT_S):
                await self.adapter.disconnect()
        except Exception:  # noqa: BLE001 - the others of the process are to be stopped too
            _log.exception("disconnecting_failed", extra={"adapter": self.adapter.id})

    async def _perform_next(self) -> None:
        if not self._proved:
            order = self._orders.take()
            if self.adapter.prepares:
                await self.outbound.ahead.look(order, self._orders.subscriptions)
            await self.outbound.perform(order)
            return
        self._proved = False
        failed = self.outbound.failed()
        if self.adapter.prepares:
            await self.outbound.ahead.again(failed, self._orders.subscriptions())
        for order in failed:
            await self.outbound.perform(order)
        await self.outbound.settle()

    async def _withdraw(self) -> None:
        if self._connected.is_set():
            for order in self.outbound.withdrawals():
                await self.outbound.perform(order)

    async def _watch(self) -> None:
        while True:
            if self._connected.is_set():
                await self._probe_once()
                await self._observe()
            await self._tell_counters()
            await self._pause()

    async def _tell_counters(self) -> None:
        """Send the counters; many adapters of one process do so at different times."""
        own = shared_slice()
        await own.turn()
        self.multiplexer.tell(self.counted())
        own.end()

    async def _pause(self) -> None:
        if self._connected.is_set():
            # By its name, so that hundreds in one process do not probe in one turn of the loop.
            await asyncio.sleep(PROBE_S * (0.75 + crc32(self.adapter.id.encode()) / 2**33))
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PROBE_S):
                await self._connected.wait()

    async def _probe_once(self) -> None:
        try:
            await attentively(self.adapter.probe(), PROBE_TIMEOUT_S)
        except (FesError, TimeoutError) as error:
            if self._connected.is_set():
                self.ready, self.reason = False, str(error) or "no round trip in time"
        else:
            if not (self._connected.is_set() and self._granted.is_set()):
                return  # it was released meanwhile
            self.ready, self.reason = True, ""
            self._proved = True
            self._wake.set()

    async def _observe(self) -> None:
        """Begin to observe what native clients declare, and renew the requests made from it."""
        if not self.adapter.context.observe.on:
            return
        if not self._observes or self.observing.missed:
            self.observing.again()
            try:
                await self.adapter.observe()
            except FesError as error:
                told = {"adapter": self.adapter.id, "reason": str(error)}
                _log.warning("not_observing", extra=told)
                self._observes = not error.retryable
            else:
                self._observes = True
        self.observing.tick()

    def _displaced(self, order: Order) -> None:
        self._drop(order, "displaced by a more urgent one")

    def _drop(self, order: Order, reason: str) -> None:
        self._dropped += 1
        if isinstance(order, Publish):
            self.outbound.confirmations.failed(order, reason, retryable=True)
        self._record(Decision.DROPPED, stamp=getattr(order, "stamp", None), reason=reason)
