"""The runtime of an adapter: what every adapter needs and none should write again."""

import asyncio
import contextlib
import time
from collections import deque
from typing import Any, Self

from eventservices.stamp import Stamp as NativeStamp
from eventservices.stamp import Stamper

from fes.adapter.base import Adapter
from fes.adapter.inbound import Inbound
from fes.adapter.outbound import Outbound
from fes.errors import FesError
from fes.eventlog import Decision, Record
from fes.eventlog.schema import VERSION
from fes.eventlog.writer import Log
from fes.link.end import LinkEnd, Message
from fes.link.messages import Counted, Order, Publish
from fes.mapping import Native
from fes.model import Event, Stamp

PROBE_S = 2.0
PROBE_TIMEOUT_S = 5.0
QUEUE = 20_000
FIRST_RETRY_S, MOST_RETRY_S = 0.2, 5.0


class AdapterRuntime:
    """Runs one adapter: connects it, performs the gateway's orders, passes on what it hears.

    Args:
        adapter: The adapter.
        log: The event log.
        queue: Most publications that wait for the event service; one above it is dropped and
            counted.
    """

    def __init__(self, adapter: Adapter, log: Log, queue: int = QUEUE) -> None:
        self.adapter = adapter
        self.ready = False
        self.reason = "not connected yet"
        self._log = log
        self._queue = queue
        self._end: LinkEnd | None = None
        self._events: deque[Publish] = deque()
        self._control: deque[Order] = deque()
        self._wake = asyncio.Event()
        self._connected = asyncio.Event()
        self._dropped = 0
        context = adapter.context
        stamper = Stamper(context.id, context.service, clock_us=context.clock_us)
        self.epoch = stamper.epoch
        self.inbound = Inbound(context, self._send, self._record, stamper)
        self.outbound = Outbound(adapter, self.inbound, self._send, self._record, stamper)
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        """Start: connecting goes on in the background until it succeeds."""
        self._tasks = [
            asyncio.create_task(self._connect(), name=f"{self.adapter.id} connect"),
            asyncio.create_task(self._perform(), name=f"{self.adapter.id} perform"),
            asyncio.create_task(self._watch(), name=f"{self.adapter.id} watch"),
        ]
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop gracefully: withdraw what was subscribed and announced, then disconnect."""
        await self.stop()

    def attach(self, end: LinkEnd) -> None:
        """Use a link to the gateway."""
        self._end = end

    def detach(self) -> None:
        """Use no link; what is heard meanwhile is dropped and counted."""
        self._end = None

    def receive(self, order: Message) -> None:
        """Take an order from the gateway; requests pass publications that wait."""
        if isinstance(order, Publish):
            if len(self._events) >= self._queue:
                self._dropped += 1
                self._record(Decision.DROPPED, stamp=order.stamp, reason="adapter queue full")
                return
            self._events.append(order)
        else:
            self._control.append(order)  # type: ignore[arg-type]  # gateways send orders only
        self._wake.set()

    async def stop(self) -> None:
        """Withdraw natively and disconnect; harmless twice."""
        tasks, self._tasks = self._tasks, []
        if not tasks:
            return
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._connected.is_set():
            with contextlib.suppress(FesError, TimeoutError):
                async with asyncio.timeout(PROBE_TIMEOUT_S):
                    await self.outbound.withdraw()
        with contextlib.suppress(FesError):
            await self.adapter.disconnect()
        self._record(Decision.STOPPED)

    def counted(self) -> Counted:
        """Return the adapter's counters and state."""
        counters = {
            **self.inbound.counters,
            **self.outbound.counters,
            "queue_dropped": self._dropped,
            **{f"native_{name}": count for name, count in self.adapter.counters.items()},
        }
        return Counted(self.ready, self.reason, counters)

    def heard(self, native: Native, stamp: NativeStamp | None) -> None:
        """Take a native event; see `Sink`."""
        self.inbound.heard(native, stamp)

    def heard_control(self, event: Event, stamp: NativeStamp | None) -> None:
        """Take a control event; see `Sink`."""
        self.inbound.heard_control(event, stamp)

    def set_aside(self, reason: str, raw: bytes) -> None:
        """Take what could not be read; see `Sink`."""
        self.inbound.set_aside(reason, raw)

    async def _connect(self) -> None:
        self._record(Decision.STARTED)
        delay_s = FIRST_RETRY_S
        while True:
            try:
                await self.adapter.connect(self)
            except FesError as error:
                self.reason = str(error)
                await self.adapter.disconnect()
                if not error.retryable:
                    return
                await asyncio.sleep(delay_s)
                delay_s = min(MOST_RETRY_S, delay_s * 2)
            else:
                self._connected.set()
                self._wake.set()
                return

    async def _perform(self) -> None:
        await self._connected.wait()
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._control or self._events:
                order = self._control.popleft() if self._control else self._events.popleft()
                await self.outbound.perform(order)

    async def _watch(self) -> None:
        await self._connected.wait()
        while True:
            await self._probe_once()
            self._send(self.counted())
            await asyncio.sleep(PROBE_S)

    async def _probe_once(self) -> None:
        try:
            async with asyncio.timeout(PROBE_TIMEOUT_S):
                await self.adapter.probe()
        except (FesError, TimeoutError) as error:
            self.ready, self.reason = False, str(error) or "no round trip in time"
        else:
            self.ready, self.reason = True, ""
            for order in self.outbound.failed():
                self.receive(order)

    def _send(self, message: Message) -> bool:
        return self._end is not None and self._end.send(message)

    def _record(
        self, decision: Decision, *, stamp: Stamp | None = None, subject: str = "", **more: Any
    ) -> None:
        identity = f"{stamp.origin}/{stamp.epoch}/{stamp.sequence}" if stamp else ""
        if not self._log.wants(identity):
            return
        context = self.adapter.context
        inward = decision in (Decision.RECEIVED, Decision.REFUSED)
        self._log.write(
            Record(
                decision=decision,
                wall_us=time.time_ns() // 1000,
                time_us=context.clock_us(),
                system=context.system,
                component="adapter",
                name=context.id,
                id=identity,
                event_time_us=stamp.time_us if stamp else 0,
                subject=subject,
                home=stamp.home if stamp else "",
                from_=context.service if inward else "",
                to="" if inward else context.service,
                v=VERSION,
                **more,
            )
        )
