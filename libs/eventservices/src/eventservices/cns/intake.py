"""One consumer of structured events, whether they are pushed, pulled, or kept for it."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from heapq import heappop, heappush
from typing import Final, final

from eventservices.cns import (
    ClientType,
    EventChannel,
    HeldEvent,
    StructuredEvent,
    StructuredProxyPullSupplier,
    StructuredProxyPushSupplier,
)
from eventservices.cns.errors import DisconnectedError
from eventservices.cns.etcl import Filter
from eventservices.ending import ended
from eventservices.slices import shared_slice
from eventservices.stamp import Stamp

Answer = Callable[[bool], None]
"""Called once: whether an event is no longer needed, or is to be delivered again."""

Take = Callable[[StructuredEvent, Stamp | None, Answer | None], None]
"""Accepts an event and the function that answers its store, on the event loop; must not raise."""

AGAIN_S: Final = 0.5
"""How long an event that the gateway did not accept waits before it is delivered again."""

RESTART_S: Final = 1.0
"""Pause before an intake that failed begins again."""

TOLD_S: Final = 5.0
"""How long an intake that failed is reported as not ready: longer than between two probes."""

_log = logging.getLogger(__name__)

COUNTED: Final = ("delivered", "suppressed", "filtered", "failed")


class Intake(ABC):
    """A native consumer, connected to the channel.

    Args:
        channel: The channel.
        take: Accepts the events.
    """

    proxy: StructuredProxyPushSupplier | StructuredProxyPullSupplier

    def __init__(self, channel: EventChannel, take: Take) -> None:
        self._channel = channel
        self._take = take

    @property
    @final
    def counted(self) -> Counter[str]:
        """What became of the events so far, by name."""
        return Counter({name: getattr(self.proxy, name) for name in COUNTED})

    @property
    def failure(self) -> str:
        """Why it cannot receive now; empty while it can."""
        return ""

    @final
    async def open(self, what: Filter) -> None:
        """Connect, with a filter object.

        Raises:
            EventServiceError: The broker is away.
        """
        self.proxy.add_filter(what)
        try:
            await self._connect()
        except BaseException:
            await self.proxy.destroy()
            raise

    async def close(self) -> None:
        """Disconnect."""
        await self.proxy.destroy()

    @abstractmethod
    async def _connect(self) -> None: ...


class PushIntake(Intake):
    """Has the channel push events."""

    proxy: StructuredProxyPushSupplier

    def __init__(self, channel: EventChannel, take: Take) -> None:
        super().__init__(channel, take)
        admin = channel.default_consumer_admin
        self.proxy = admin.obtain_notification_push_supplier(ClientType.STRUCTURED_EVENT)

    def push_structured_event(self, event: StructuredEvent, stamp: Stamp | None) -> None:
        """Accept an event; the proxy calls it."""
        self._take(event, stamp, None)

    async def _connect(self) -> None:
        await self.proxy.connect_structured_push_consumer(self)


class PullIntake(Intake):
    """Pulls events, one after the other."""

    proxy: StructuredProxyPullSupplier

    def __init__(self, channel: EventChannel, take: Take) -> None:
        super().__init__(channel, take)
        admin = channel.default_consumer_admin
        self.proxy = admin.obtain_notification_pull_supplier(ClientType.STRUCTURED_EVENT)
        self._pulling: asyncio.Task[None] | None = None
        self._failure = ""
        self._told_until_s = 0.0

    @property
    def failure(self) -> str:
        """Why it pulled no events a moment ago; empty while it does."""
        return self._failure if asyncio.get_running_loop().time() < self._told_until_s else ""

    async def close(self) -> None:
        """Disconnect, and pull no more."""
        pulling, self._pulling = self._pulling, None
        await super().close()
        await ended(pulling)

    async def _connect(self) -> None:
        await self.proxy.connect_structured_pull_consumer()
        self._begin(self._pull)

    def _begin(self, pull: Callable[[], Awaitable[None]]) -> None:
        self._pulling = asyncio.create_task(self._keep_pulling(pull), name="cns pull")

    async def _keep_pulling(self, pull: Callable[[], Awaitable[None]]) -> None:
        """Pull until disconnected; an unexpected error is reported, and pulling begins again."""
        while True:
            try:
                await pull()
            except Exception as error:  # noqa: BLE001 - an intake that ended by it would lose every further event
                _log.exception("pulling_failed", extra={"intake": type(self).__name__})
                self._failure = f"pulling events failed: {error!r}"
                self._told_until_s = asyncio.get_running_loop().time() + TOLD_S
                await asyncio.sleep(RESTART_S)
            else:
                return

    async def _pull(self) -> None:
        share = shared_slice()
        async for event, stamp in self.proxy:
            self._take(event, stamp, None)
            share.end()
            await share.turn()  # others are to have theirs in a flood


class HoldingIntake(PullIntake):
    """Pulls events, and keeps persistent ones in their store until the gateway answers for them.

    What the gateway did not accept is delivered again, in its place: until then nothing newer is.

    Args:
        channel: The channel.
        take: Accepts the events.
        durable: Name under which persistent events wait while the adapter is away.
    """

    def __init__(self, channel: EventChannel, take: Take, durable: str) -> None:
        super().__init__(channel, take)
        self._durable = durable
        self._number = 0
        self._waiting: list[
            tuple[int, HeldEvent[StructuredEvent]]
        ] = []  # a heap; the channel bounds it
        self._wake = asyncio.Event()
        self._rests_until_s = 0.0

    async def _connect(self) -> None:
        await self.proxy.connect_structured_pull_consumer(durable=self._durable)
        self._begin(self._work)

    async def _work(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            handing = tasks.create_task(self._hand_over(), name="cns handover")
            await self._hold()
            handing.cancel()

    async def _hold(self) -> None:
        share = shared_slice()
        with suppress(DisconnectedError):
            while True:
                await share.turn()
                held = await self.proxy.hold_structured_event()
                if held.persistent:
                    self._number += 1
                    self._wait(self._number, held)
                else:
                    self._take(held.event, held.stamp, None)
                share.end()

    async def _hand_over(self) -> None:
        loop, share = asyncio.get_running_loop(), shared_slice()
        while True:
            await share.turn()
            rest_s = self._rests_until_s - loop.time()
            if rest_s > 0:
                await asyncio.sleep(rest_s)
            elif not self._waiting:
                self._wake.clear()
                await self._wake.wait()
            else:
                number, held = heappop(self._waiting)
                try:
                    self._take(held.event, held.stamp, self._answer(number, held))
                except Exception:
                    self._wait(number, held)  # it is delivered again, in its place
                    raise
                share.end()

    def _wait(self, number: int, held: HeldEvent[StructuredEvent]) -> None:
        heappush(self._waiting, (number, held))
        self._wake.set()

    def _answer(self, number: int, held: HeldEvent[StructuredEvent]) -> Answer:
        def answer(taken: bool) -> None:  # noqa: FBT001 - callers pass it by position
            if taken:
                held.done()
                return
            self._rests_until_s = asyncio.get_running_loop().time() + AGAIN_S
            self._wait(number, held)

        return answer
