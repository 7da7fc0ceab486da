"""The clients of both markets, each on its own event service."""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from eventservices.cns import ClientType, EventType
from eventservices.cns import Connection as CnsConnection
from eventservices.cns.event import StructuredEvent
from eventservices.ending import ended
from eventservices.siena import Client, Connection, Filter
from eventservices.stamp import Stamp
from scenario_kit.records import Recorder

from stock_market.natives.context import carried, current, within
from stock_market.natives.engine import Engine
from stock_market.story import (
    CNS,
    CUSTOMERS,
    DATABASE,
    DELAY_S,
    ENGINES,
    INDEX,
    ORDER,
    OTHER_FLOOR,
    QUOTE,
    RECORDS,
    SESSION,
    SIENA,
    SIENA_SESSION,
    SPEED,
)
from stock_market.ticks import Tick

SETTLE_S = 3.0
"""How long clients wait until all subscriptions are there."""

PAUSE_S = 0.05
"""Between two ticks."""

STILL_S = 8.0
"""How long nothing may come until a run is over; longer than private customers wait."""

LONGEST_S = 240.0

HIDDEN = "FES_"


class Market:
    """All clients.

    Args:
        customers: Address of the customers' broker.
        floor: Address of the floor's broker.
        recorder: Records what is published and received.
    """

    def __init__(self, customers: str, floor: str, recorder: Recorder) -> None:
        self._urls = {
            name: floor if name in (*ENGINES, DATABASE) else customers for name in (*SIENA, *CNS)
        }
        self._recorder = recorder
        self._engines = {name: Engine() for name in ENGINES}
        self._siena: dict[str, Client] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._queue: asyncio.Queue[tuple[str, dict[str, Any], str]] = asyncio.Queue(10_000)
        self.refused = 0

    async def open(self, stack: AsyncExitStack) -> None:
        """Connect all clients, and subscribe."""
        for name in SIENA:
            connection = await stack.enter_async_context(
                Connection([self._urls[name]], name, index=INDEX)
            )
            client = self._siena[name] = connection.client(f"client-{name}")
            await client.subscribe(Filter(), self._siena_callback(name))
        for name in CNS:
            link = await stack.enter_async_context(CnsConnection(self._urls[name], name=name))
            channel = await link.open_channel(name)
            consumer = channel.default_consumer_admin.obtain_notification_push_supplier(
                ClientType.STRUCTURED_EVENT
            )
            await consumer.connect_structured_push_consumer(_Consumer(name, self._note))

    async def play(self, ticks: list[Tick]) -> None:
        """Publish two orders for each tick, and react until nothing comes any more."""
        reacting = asyncio.create_task(self._react(), name="react")
        await asyncio.sleep(SETTLE_S)
        seller, buyer = CUSTOMERS
        for at, tick in enumerate(ticks):
            await self._order(seller, f"t{at}.sell", "sell", tick)
            await self._order(buyer, f"t{at}.buy", "buy", tick)
            if at % 5 == 0:
                await self.publish(OTHER_FLOOR, _other_quote(at, tick))
            await asyncio.sleep(PAUSE_S)
        await self._still()
        await ended(reacting)

    async def publish(self, client: str, notification: Mapping[str, Any]) -> None:
        """Publish as a client of SIENA does; a session is carried without its knowing."""
        subject = str(notification[INDEX])
        data = {name: value for name, value in notification.items() if name != INDEX}
        self._write("published", client, subject, data, current())
        await self._siena[client].publish(carried(notification))

    async def _order(self, customer: str, name: str, side: str, tick: Tick) -> None:
        xml = (
            f'<Order ID="{name}" Sym="{tick.share}" Side="{side}"'
            f' Qty="{tick.number}" Px="{tick.price!r}"/>'
        )
        await self.publish(customer, {INDEX: ORDER, "xml": xml})

    async def _react(self) -> None:
        while True:
            client, data, session = await self._queue.get()
            for notification, belongs in self._engines[client].order(data, session):
                with within(belongs):
                    await self.publish(client, notification)

    async def _still(self) -> None:
        """Wait until nothing has come for a while."""
        begun = moved = time.monotonic()
        seen = self._recorder.lines
        while time.monotonic() - moved < STILL_S + DELAY_S / SPEED:
            await asyncio.sleep(0.2)
            if self._recorder.lines != seen:
                seen, moved = self._recorder.lines, time.monotonic()
            if time.monotonic() - begun > LONGEST_S:
                return

    def _siena_callback(self, name: str) -> Callable[[Mapping[str, Any], Stamp | None], None]:
        def received(notification: Mapping[str, Any], stamp: Stamp | None) -> None:
            if stamp is not None and stamp.home == name and stamp.origin == f"client-{name}":
                return  # its own
            subject = str(notification.get(INDEX, ""))
            session = str(notification.get(SIENA_SESSION, ""))
            data = {key: value for key, value in notification.items() if not key.startswith(HIDDEN)}
            self._note(name, subject, data, session)

        return received

    def _write(
        self, what: str, client: str, subject: str, data: Mapping[str, Any], session: str
    ) -> None:
        self._recorder.note(what, client, subject=subject, data=dict(data), session=session)

    def _note(self, client: str, subject: str, data: Mapping[str, Any], session: str) -> None:
        if subject.startswith(HIDDEN):
            return
        self._write("received", client, subject, data, session)
        if client in self._engines and subject == ORDER:
            try:
                self._queue.put_nowait((client, dict(data), session))
            except asyncio.QueueFull:
                self.refused += 1


class _Consumer:
    """A push consumer of CNS."""

    def __init__(self, name: str, note: Callable[[str, str, Mapping[str, Any], str], None]) -> None:
        self._name = name
        self._note = note

    def push_structured_event(self, event: StructuredEvent, _: Stamp | None) -> None:
        """Accept an event."""
        session = str(event.header.variable_header.get(SESSION, ""))
        subject = event.event_type.type_name or event.event_name
        self._note(self._name, subject, event.filterable_data, session)

    def offer_change(self, added: tuple[EventType, ...], removed: tuple[EventType, ...]) -> None:
        """Ignore a change of offers."""


def _other_quote(at: int, tick: Tick) -> dict[str, Any]:
    return {
        INDEX: QUOTE,
        "share": tick.share,
        "price": tick.price,
        "number": tick.number,
        "currency": "EUR",
        "id": f"other{at}",
    }


async def run(folder: Path, customers: str, floor: str, ticks: list[Tick]) -> None:
    """Play all ticks.

    Args:
        folder: The run folder.
        customers: Address of the customers' broker.
        floor: Address of the floor's broker.
        ticks: What is traded.

    Raises:
        EventServiceError: A broker is away.
    """
    with Recorder.opened(folder / RECORDS, time.monotonic) as recorder:
        async with AsyncExitStack() as stack:
            market = Market(customers, floor, recorder)
            await market.open(stack)
            await market.play(ticks)
