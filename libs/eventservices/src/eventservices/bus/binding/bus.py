"""The event bus of one device, over NATS.

Source:
    Smart-building thesis, chapter 4 and section 5.2.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Final, Self

from eventservices.bus.binding.dispatch import Dispatch
from eventservices.bus.binding.guests import Guest, Receive
from eventservices.bus.binding.options import BusOptions
from eventservices.bus.binding.own_clock import OwnClock
from eventservices.bus.binding.pool import WorkerPool
from eventservices.bus.binding.services import Services
from eventservices.bus.binding.storing import Storing
from eventservices.bus.core import (
    ALL,
    AddName,
    BusCore,
    Decide,
    Deliver,
    Ended,
    Lookup,
    Output,
    RemoveName,
    Reply,
    Send,
)
from eventservices.bus.errors import BusError
from eventservices.bus.wire import calls
from eventservices.bus.wire.calls import AreYouThere, Call, Delivery, NotKnown, SinkEnded, answer_of
from eventservices.bus.wire.messages import MessageError, decode, encode
from eventservices.bus.wire.subjects import Subjects, check_token, is_token, last_token
from eventservices.ending import ended
from eventservices.errors import EventServiceError
from eventservices.lasting import lasting
from eventservices.lifetime import Opening
from eventservices.natslink import LinkOptions, NatsLink

log = logging.getLogger(__name__)

_EVERY_CLIENT: Final = "all"

_LOOKS: Final = 100
"""Clients that one turn of the monitor looks at."""

_FIRST: Final = (calls.AutoCleanUp, calls.Leave)
"""What a client may call that the bus does not know."""


class EventBus(Opening):
    """One bus.

    Args:
        urls: Addresses of equal NATS servers.
        building: Identifier of the building, whose buses are one event service.
        bus: Identifier of the device; one bus at a time may have it.
        options: See `BusOptions`.

    Attributes:
        clock: For how long something lasts.
        on_malformed: Called with the reason and the bytes of what could not be read.

    Raises:
        EventNameError: An identifier is not valid.
    """

    def __init__(
        self, urls: Sequence[str], building: str, bus: str, options: BusOptions | None = None
    ) -> None:
        self.options = options or BusOptions()
        self.id = check_token(bus, "bus")
        self.clock = OwnClock(self.options.clock_us, self.options.steady_us)
        self._subjects = Subjects(building)
        self._link = NatsLink(urls, LinkOptions(name=f"evbus/{building}/{bus}"))
        self._stack = AsyncExitStack()
        self._delivering = WorkerPool("delivering", self.options.delivering)
        self._sending = WorkerPool("sending", self.options.sending)
        self._asking = WorkerPool("asking", self.options.querying)
        self._guests: dict[str, Guest] = {}
        self._storing: Storing[Output] = Storing(self.options.store, self._perform_stored)
        self._tasks: list[asyncio.Task[None]] = []
        self._counters: Counter[str] = Counter()
        self._core: BusCore | None = None
        self._dispatch = Dispatch(self)
        self._services = Services(self, self._asking)
        self._settling = False
        self.on_malformed: Callable[[str, bytes], None] | None = None

    @property
    def core(self) -> BusCore:
        """What decides.

        Raises:
            EventServiceError: The bus is not open.
        """
        if self._core is None:
            raise EventServiceError(f"bus {self.id} is not open")
        return self._core

    @property
    def counters(self) -> dict[str, int]:
        """What happened, by name."""
        pools = {
            f"{name}_{what}": count
            for name, pool in (("deliver", self._delivering), ("send", self._sending))
            for what, count in (*pool.counters.items(), ("workers", pool.workers))
        }
        own = {
            "clients": len(self._guests),
            "unstored": len(self._storing),
            "store_failures": self._storing.failures,
        }
        return {**self._counters, **self.core.counters, **pools, **own}

    async def open(self) -> Self:
        """Restore what was stored, connect, and report to the other buses.

        Raises:
            NotConnectedError: No server answered in time.
        """
        options = self.options
        stored = await asyncio.to_thread(options.store.read)
        self._core = BusCore(
            self.id, self._subjects.building, options.settings, self.clock.now_us(), stored,
            options.run_code,
        )  # fmt: skip
        await self._link.open()
        for pool in (self._delivering, self._sending, self._asking):
            await self._stack.enter_async_context(pool)
        await self._link.listen(self._subjects.to(self.id, "*"), self._receive)
        await self._link.listen(self._subjects.all("*"), self._receive)
        await self._link.listen(self._subjects.call(self.id, "*"), self._receive_call)
        await self._services.open(self._link, self._subjects)
        await self._link.flush()
        for work in (self._tick, self._monitor, self._storing.run):
            self._tasks.append(asyncio.create_task(lasting(work), name=f"bus-{work.__name__}"))
        await self._push(_EVERY_CLIENT, NotKnown())
        self.settle()
        return self

    async def close(self) -> None:
        """End in order: other buses are notified, what is stored stays."""
        if self._core is None or not self._tasks:
            return
        self._core.close()
        self.settle()
        await self._drain()
        await self._stop()

    async def kill(self) -> None:
        """End as in a crash, notifying nobody; for tests."""
        await self._stop()

    async def _drain(self) -> None:
        for _ in range(100):
            if not (self._sending.backlog or self._asking.backlog or self._storing):
                return
            await asyncio.sleep(0.01)

    async def _stop(self) -> None:
        tasks, self._tasks = self._tasks, []
        await ended(*tasks)
        await self._services.close()
        await self._stack.aclose()
        await self._link.close()
        self.options.store.close()

    async def probe(self) -> None:
        """Make a round trip through the broker.

        Raises:
            NotConnectedError: Nothing came back in time.
        """
        await self._link.probe()

    def attach(self, client: str, receive: Receive) -> None:
        """Accept a client of this process.

        Raises:
            BusError: The identifier is not valid, or in use.
        """
        check_token(client, "client")
        if client in self._guests:
            raise BusError(f"bus {self.id} has a client {client!r} already")
        self._guests[client] = Guest(receive, local=True)

    def call(self, client: str, call: Call) -> None:
        """Accept a client's call; the answer is pushed to it."""
        if len(self._storing) >= self.options.most_unstored and call.number:
            self._counters["refused_unstored"] += 1
            error = BusError(f"bus {self.id}: the store does not follow")
            self._answer(Reply(client, call.number, 0, error))
            return
        if self._dispatch.call(client, call, self._guests.get(client)):
            self._leave(client)
        self.settle()

    def settle(self) -> None:
        """Perform what the core has decided, in its order, once its rows are stored."""
        if self._settling:
            return
        self._settling = True
        try:
            while True:
                effects = self.core.take()
                if not effects.rows and not effects.outputs:
                    return
                self._storing.take(effects.rows, effects.outputs)
        finally:
            self._settling = False

    def _perform_stored(self, outputs: list[Output]) -> None:
        self._perform(outputs)
        self.settle()

    def _perform(self, outputs: list[Output]) -> None:
        for output in outputs:
            match output:
                case Send(bus, message) if bus == self.id:
                    self.core.receive(self.id, message, self.clock.now_us())
                case Send(bus, message):
                    self._send(bus, encode(message), type(message).__name__)
                case Deliver():
                    self._deliver(output)
                case Reply():
                    self._answer(output)
                case Ended(client, sink, bus, reason):
                    self._push_later(client, SinkEnded(sink, bus, reason))
                case Lookup() | AddName() | RemoveName() | Decide():
                    self._services.perform(output)

    def _send(self, bus: str, payload: bytes, kind: str) -> None:
        subject = self._subjects.all(self.id) if bus == ALL else self._subjects.to(bus, self.id)
        self._counters[f"sent_{kind}"] += 1
        self._sending.put(bus, partial(self._publish, subject, payload))

    async def _publish(self, subject: str, payload: bytes) -> None:
        try:
            await self._link.publish(subject, payload, waits=False)
        except EventServiceError as error:
            # What has to arrive is sent again until it is confirmed.
            self._counters["not_sent"] += 1
            log.debug("message_not_sent", extra={"subject": subject, "reason": str(error)})

    def _deliver(self, output: Deliver) -> None:
        guest = self._guests.get(output.client)
        if guest is None:
            return
        self._counters["sink_invocations"] += 1
        delivery = Delivery(output.sink, output.serial, output.event)
        self._delivering.put(
            f"{output.sink}", partial(self._deliver_now, output.client, guest, delivery)
        )

    async def _deliver_now(self, client: str, guest: Guest, delivery: Delivery) -> None:
        if self._guests.get(client) is not guest:
            # It left; what its durable sinks did not receive waits for their next client.
            self._counters["deliveries_after_leave"] += 1
            return
        try:
            await guest.receive(delivery)
        finally:
            if guest.local:
                self.core.delivered(delivery.sink, delivery.serial)
                self.settle()

    def _answer(self, reply: Reply) -> None:
        self._push_later(reply.client, answer_of(reply.call, reply.number, reply.error))

    def _push_later(self, client: str, push: calls.Push) -> None:
        guest = self._guests.get(client)
        if guest is not None:
            self._sending.put(f"client {client}", partial(guest.receive, push))

    async def _push(self, client: str, push: calls.Push) -> None:
        await self._publish(self._subjects.push(self.id, client), calls.encode(push))

    def _receive(self, subject: str, payload: bytes, headers: bytes, reply: str) -> None:
        del headers, reply
        sender = last_token(subject)
        if sender == self.id:
            return
        if not is_token(sender):
            self._counters["malformed"] += 1
            return
        if len(self._storing) >= self.options.most_unstored:
            self._counters["dropped_unstored"] += 1  # it is sent again
            return
        try:
            message = decode(payload)
        except MessageError as error:
            self._counters["malformed"] += 1
            if self.on_malformed is not None:
                self.on_malformed(str(error), payload)
            log.warning("message_refused", extra={"bus": sender[:80], "reason": str(error)[:200]})
            return
        self._counters[f"received_{type(message).__name__}"] += 1
        self.core.receive(sender, message, self.clock.now_us())
        self.settle()

    def _receive_call(self, subject: str, payload: bytes, headers: bytes, reply: str) -> None:
        del headers, reply
        client = last_token(subject)
        try:
            call = calls.decode_call(payload)
        except MessageError as error:
            self._counters["malformed"] += 1
            log.warning("call_refused", extra={"client": client[:80], "reason": str(error)[:200]})
            return
        guest = self._guests.get(client)
        if guest is None:
            if len(self._guests) >= self.options.most_clients:
                self._counters["refused_clients"] += 1
                return
            receive = partial(self._push, client)
            guest = self._guests[client] = Guest(receive, local=False, watched=True)
            if self._tasks and not isinstance(call.request, _FIRST):
                self._push_later(client, NotKnown())  # e.g. it was halted, and cleaned up meanwhile
        if not guest.local:
            guest.missed = 0
            self.call(client, call)

    def _leave(self, client: str) -> None:
        self._guests.pop(client, None)
        self.core.client_gone(client, self.clock.now_us())

    async def _tick(self) -> None:
        while True:
            self.core.tick(self.clock.now_us(), self.clock.ahead_us())
            self.settle()
            await asyncio.sleep(self.options.tick_s)

    async def _monitor(self) -> None:
        while True:
            await asyncio.sleep(self.options.monitor_s)
            for _ in self._look():
                await asyncio.sleep(0)

    def monitor(self) -> None:
        """Look after the pools and the clients; also done by itself every `monitor_s`."""
        for _ in self._look():
            pass

    def _look(self) -> Iterator[None]:
        """Look after all, in parts that do not keep the event loop waiting."""
        for pool in (self._delivering, self._sending, self._asking):
            pool.monitor()
        for number, (client, guest) in enumerate(list(self._guests.items()), 1):
            if number % _LOOKS == 0:
                self.settle()
                yield
            if guest.local or self._guests.get(client) is not guest:
                continue
            if guest.crashed():
                self._counters["clients_cleaned"] += 1
                self._leave(client)
                continue
            self.core.redeliver(client)
            self._push_later(client, AreYouThere())
        self.settle()
