"""The client API: sources and sinks of one application, at the bus of its device.

Source:
    Smart-building thesis, sections 5.3 and 5.4, appendix A.
"""

import asyncio
import logging
import secrets
from typing import Final, Self

from eventservices.backoff import Backoff
from eventservices.bus.api.ends import Listener, OnEnded, Sink, Source
from eventservices.bus.api.transport import Transport
from eventservices.bus.errors import AdvertiseError, EventNameError, FilterError, SubscriptionError
from eventservices.bus.filters import Filter
from eventservices.bus.wire import calls
from eventservices.bus.wire.calls import (
    Answer,
    AreYouThere,
    Call,
    Delivery,
    NotKnown,
    Push,
    SinkEnded,
)
from eventservices.bus.wire.messages import Event
from eventservices.ending import ended
from eventservices.errors import EventServiceError, NotConnectedError
from eventservices.lifetime import Opening

log = logging.getLogger(__name__)

CALL_S: Final = 10.0
"""Longest that a call waits for its answer."""

AGAIN_S: Final = (0.1, 10.0, 60.0)
"""Pauses between attempts to declare again: shortest, longest; forgotten after."""

_REFUSALS: Final = (AdvertiseError, EventNameError, FilterError, SubscriptionError)


class BusClient(Opening):
    """One application at one bus.

    Args:
        transport: To the bus: `LocalTransport` or `NatsTransport`.
        user: Whose sinks these are, or a token that vouches for it.
        device: Type of the device.
        auto_clean_up: Whether the bus's monitor watches it, and cleans up after a crash.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        user: str = "",
        device: str = "",
        auto_clean_up: bool = True,
    ) -> None:
        self._transport = transport
        self._user = user
        self._device = device
        self._watched = auto_clean_up
        self._calls: dict[int, asyncio.Future[Answer]] = {}
        self._last_call = secrets.randbelow(1 << 32)
        self._sources: list[Source] = []
        self._sinks: dict[int, Sink] = {}
        self._lost: dict[Source | Sink, None] = {}
        self._again: asyncio.Task[None] | None = None
        self.counters = dict.fromkeys(
            ("listener_errors", "ended", "bus_restarts", "not_declared_again", "unknown"), 0
        )

    async def open(self) -> Self:
        """Connect to the bus.

        Raises:
            NotConnectedError: It does not answer.
        """
        await self._transport.open(self._receive)
        await self.call(calls.AutoCleanUp(self._watched))
        return self

    async def close(self) -> None:
        """End all sources and sinks; durable sinks wait for the next client."""
        await ended(self._again)
        try:
            await self._transport.send(Call(0, calls.Leave()))
        except EventServiceError as error:
            log.info("bus_not_told", extra={"reason": str(error)})
        await self._transport.close()

    async def advertise(self, name: str) -> Source:
        """Advertise a source of events.

        Raises:
            AdvertiseError, EventNameError: The bus did not accept it.
            NotConnectedError: The bus did not answer.
        """
        source = Source(self, name)
        source.id = await self.call(calls.Advertise(name))
        self._sources.append(source)
        return source

    async def subscribe(
        self,
        name: str,
        listener: Listener,
        filter_: Filter | None = None,
        *,
        durable: str = "",
        on_ended: OnEnded | None = None,
    ) -> Sink:
        """Subscribe a sink; it applies also for sources that come later.

        Args:
            name: Of the event.
            listener: Called with each event; a delivery ends when it returns.
            filter_: Applied at the sources' buses; None for all.
            durable: Name under which the sink outlives its client and its bus; "" otherwise.
            on_ended: Called when a right is withdrawn, or when the bus was restarted and refuses
                the sink, which has ended then.

        Returns:
            The sink, once the buses of all known sources have answered.

        Raises:
            SubscriptionError: It was refused; the reason and the number are the reason.
            NotConnectedError: The bus did not answer.
        """
        sink = Sink(self, calls.Subscribe(name, filter_, self._user, self._device, durable))
        sink.listeners.append(listener)
        sink.on_ended = on_ended
        await self._declare(sink)
        return sink

    async def call(self, request: calls.Request) -> int:
        """Make a call and return its number.

        Raises:
            BusError: The bus refused it.
            NotConnectedError: The bus did not answer.
        """
        answer = await self._answer(request)
        error = calls.error_of(answer)
        if error is not None:
            raise error
        return answer.number

    def forget_source(self, source: Source) -> None:
        """Declare a source no more after a restart of the bus."""
        if source in self._sources:
            self._sources.remove(source)
        self._lost.pop(source, None)

    def forget_sink(self, sink: Sink) -> None:
        """Deliver no more events to a sink."""
        self._sinks.pop(sink.id, None)
        self._lost.pop(sink, None)

    async def _declare(self, sink: Sink) -> None:
        # Events may come before the answer: the sink is known by its call until then.
        self._last_call += 1
        number = self._last_call
        self._sinks[-number] = sink
        try:
            answer = await self._answer(sink.request, number)
            error = calls.error_of(answer)
            if error is not None:
                raise error
            sink.id = answer.number
            self._sinks[sink.id] = sink
        finally:
            self._sinks.pop(-number, None)

    async def _answer(self, request: calls.Request, number: int = 0) -> Answer:
        if not number:
            self._last_call += 1
            number = self._last_call
        waiting: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._calls[number] = waiting
        try:
            async with asyncio.timeout(CALL_S):
                await self._transport.send(Call(number, request))
                return await waiting
        except TimeoutError:
            raise NotConnectedError(f"the bus did not answer in {CALL_S:g} s") from None
        finally:
            del self._calls[number]

    async def _receive(self, push: Push) -> None:
        match push:
            case Answer(call):
                waiting = self._calls.get(call)
                if waiting is not None and not waiting.done():
                    waiting.set_result(push)
                    await asyncio.sleep(0)  # who waits learns the sink's number before events come
            case Delivery(sink, serial, event):
                await self._deliver(sink, serial, event)
            case SinkEnded(number, bus, reason):
                self._end(self._sinks.get(number), bus, reason)
            case AreYouThere():
                await self._transport.send(Call(0, calls.Alive()))
            case NotKnown():
                self.counters["bus_restarts"] += 1
                await ended(self._again)
                self._lose()
                self._again = asyncio.create_task(self._declare_again(), name="bus-client-again")

    async def _deliver(self, number: int, serial: int, event: Event) -> None:
        sink = self._sinks.get(number) or self._newest(event.name)
        if sink is None:
            self.counters["unknown"] += 1
        else:
            await sink.dispatch(event)
        if self._transport.confirms:
            await self._transport.send(Call(0, calls.Delivered(number, serial)))

    def _newest(self, name: str) -> Sink | None:
        """Return a sink whose subscription is not answered yet."""
        found = [each for number, each in self._sinks.items() if number < 0]
        return next((each for each in found if each.request.name == name), None)

    def _end(self, sink: Sink | None, bus: str, reason: str) -> None:
        self.counters["ended"] += 1
        if sink is None or sink.on_ended is None:
            return
        try:
            sink.on_ended(bus, reason)
        except Exception:
            self.counters["listener_errors"] += 1
            log.exception("listener_failed", extra={"event": sink.request.name})

    def _lose(self) -> None:
        """Note that the bus knows none of the sources and sinks any more."""
        sinks = [sink for number, sink in self._sinks.items() if number > 0]
        self._sinks = {number: sink for number, sink in self._sinks.items() if number < 0}
        self._lost = dict.fromkeys((*self._sources, *sinks, *self._lost))

    async def _declare_again(self) -> None:
        """Declare what was lost, until the bus has accepted or refused each of it."""
        backoff = Backoff(*AGAIN_S)
        while True:
            await asyncio.sleep(backoff.pause_s())
            try:
                await self.call(calls.AutoCleanUp(self._watched))
                while self._lost:
                    await self._declare_lost(next(iter(self._lost)))
            except EventServiceError as error:
                log.warning("declaring_again_failed", extra={"reason": str(error)})
            else:
                return

    async def _declare_lost(self, lost: Source | Sink) -> None:
        try:
            if isinstance(lost, Source):
                lost.id = await self.call(calls.Advertise(lost.name))
            else:
                await self._declare(lost)
        except _REFUSALS as error:
            self.counters["not_declared_again"] += 1
            log.warning("not_declared_again", extra={"reason": str(error)})
            if isinstance(lost, Sink) and lost in self._lost:
                self._end(lost, self._transport.bus_id, str(error))
        else:
            if lost not in self._lost:  # it was ended meanwhile, by its former number
                await (lost.unadvertise() if isinstance(lost, Source) else lost.unsubscribe())
        self._lost.pop(lost, None)
