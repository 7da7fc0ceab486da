"""The thesis's operations, timed: tables 4 to 8, with what each lasted every time."""

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from eventservices.bus import BusClient, BusOptions, BusSettings, Event, EventBus, LocalTransport
from eventservices.bus.binding.naming_client import NamingClient
from eventservices.bus.binding.policy_client import PolicyClient
from eventservices.bus.filters import Compare, Field
from eventservices.natslink import NatsLink

from active_badge.published import BUSES, SOURCES, Way
from active_badge.services import BUILDING, LINKS

TIMES: Final = 25
OFTEN: Final = 100
NAME: Final = "ie.tcd.Timed"
WAIT_S: Final = 30.0

Row = tuple[Way, int]


@dataclass(frozen=True, slots=True)
class Spread:
    """How long something lasted, milliseconds."""

    median: float
    least: float
    most: float
    times: int

    @staticmethod
    def of(seconds: list[float]) -> "Spread":
        """Return the spread of several measurements."""
        found = [1000 * each for each in seconds]
        return Spread(median(found), min(found), max(found), len(found))


@dataclass(slots=True)
class Timings:
    """All that was timed.

    Attributes:
        subscribing, unsubscribing: By kind of filter and number of sources.
        advertising, unadvertising: Alone.
        notifying: By kind of filter and number of buses.
    """

    subscribing: dict[Row, Spread] = field(default_factory=dict)
    unsubscribing: dict[Row, Spread] = field(default_factory=dict)
    notifying: dict[Row, Spread] = field(default_factory=dict)
    advertising: Spread | None = None
    unadvertising: Spread | None = None


class Bench:
    """Buses of a building with naming service, and policy where that is timed.

    Args:
        url: Of the NATS server.
        kind: What filters the sinks have.
        stack: Closes all.
    """

    def __init__(self, url: str, kind: Way, stack: AsyncExitStack) -> None:
        self._url = url
        self._way = kind
        self._stack = stack

    async def client(self, device: str) -> BusClient:
        """Return a client of a bus of its own."""
        link = await self._stack.enter_async_context(NatsLink([self._url]))
        options = BusOptions(
            BusSettings(naming=True, policy=self._way == "policy"),
            naming=NamingClient(link, BUILDING, tuple(LINKS)),
            policy=PolicyClient(link, BUILDING),
        )
        prefix = self._way.replace(" ", "-")
        bus = EventBus([self._url], BUILDING, f"{prefix}-{device}", options)
        await self._stack.enter_async_context(bus)
        client = BusClient(LocalTransport(bus, "client"), user="peter", device="desk")
        return await self._stack.enter_async_context(client)

    @property
    def filter(self) -> Compare | None:
        """The sink's filter."""
        return Compare(Field("number"), ">=", 0) if self._way == "filter" else None


async def measure(url: str) -> Timings:
    """Return how long the operations last.

    Args:
        url: Of the NATS server at which the services answer.
    """
    timings = Timings()
    ways: tuple[Way, ...] = ("no filter", "filter", "policy")
    for way in ways:
        async with AsyncExitStack() as stack:
            await _subscribing(Bench(url, way, stack), way, timings)
    async with AsyncExitStack() as stack:
        await _advertising(Bench(url, "no filter", stack), timings)
    notified: tuple[Way, ...] = ("filter", "no filter")
    for way in notified:
        for buses in BUSES:
            async with AsyncExitStack() as stack:
                await _notifying(Bench(url, way, stack), way, buses, timings)
    return timings


async def _subscribing(bench: Bench, way: Way, timings: Timings) -> None:
    sink = await bench.client("sink")
    clients = [await bench.client(f"source-{number}") for number in range(max(SOURCES))]
    for number in SOURCES:
        name = f"{NAME}{way.title().replace(' ', '')}{number}"
        for client in clients[:number]:
            await client.advertise(name)
        await asyncio.sleep(1.0)  # for the naming service to have announced them
        subscribing, unsubscribing = [], []
        for _ in range(TIMES):
            begun = time.perf_counter()
            made = await sink.subscribe(name, _nothing, bench.filter)
            between = time.perf_counter()
            await made.unsubscribe()
            subscribing.append(between - begun)
            unsubscribing.append(time.perf_counter() - between)
        timings.subscribing[way, number] = Spread.of(subscribing)
        timings.unsubscribing[way, number] = Spread.of(unsubscribing)


async def _advertising(bench: Bench, timings: Timings) -> None:
    client = await bench.client("advertiser")
    advertising, unadvertising = [], []
    for number in range(OFTEN):
        begun = time.perf_counter()
        source = await client.advertise(f"{NAME}Advertised{number}")
        between = time.perf_counter()
        await source.unadvertise()
        advertising.append(between - begun)
        unadvertising.append(time.perf_counter() - between)
    timings.advertising = Spread.of(advertising)
    timings.unadvertising = Spread.of(unadvertising)


async def _notifying(bench: Bench, way: Way, buses: int, timings: Timings) -> None:
    name = f"{NAME}Notified{way.title().replace(' ', '')}{buses}"
    sources = await bench.client(f"notifier-{buses}")
    source = await sources.advertise(name)
    arrived: asyncio.Queue[float] = asyncio.Queue(maxsize=buses)

    async def listen(event: Event) -> None:
        del event
        await arrived.put(time.perf_counter())

    for number in range(buses):
        client = await bench.client(f"notified-{buses}-{number}")
        await client.subscribe(name, listen, bench.filter)
    averages = []
    for number in range(OFTEN):
        begun = time.perf_counter()
        await source.notify({"number": number})
        async with asyncio.timeout(WAIT_S):
            ends = [await arrived.get() for _ in range(buses)]
        averages.append(sum(ends) / buses - begun)
    timings.notifying[way, buses] = Spread.of(averages)


async def _nothing(event: Event) -> None:
    del event
