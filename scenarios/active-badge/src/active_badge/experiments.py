"""God, Big Brother and CCTV: sinks on buses of their own, filters at the stations' buses."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

import msgspec
from eventservices.bus import (
    BusClient,
    BusOptions,
    BusSettings,
    Event,
    EventBus,
    EventType,
    LocalTransport,
    NotifyError,
    TypedSource,
)
from eventservices.bus.filters import Among, Field, Filter

from active_badge.generator import Day, Sighting
from active_badge.published import BIG_BROTHER, NETWORKS
from active_badge.tap import Tap

BADGE_EVENT: Final = "ie.tcd.cs.ActiveBadge"
STARTER: Final = "ie.tcd.cs.Starter"
QUIET_S: Final = 300.0
"""Longest time from the last sighting to the last delivery."""

Mode = Literal["unfiltered", "filtered"]


class ActiveBadge(msgspec.Struct, frozen=True):
    """A sighting: station and badge, nothing else."""

    station: str
    badge: bytes


SIGHTED: Final = EventType(BADGE_EVENT, ActiveBadge)


@dataclass(slots=True)
class Counted:
    """What an experiment left.

    Attributes:
        received: Sightings by sink.
        invocations: That the stations' buses counted.
        notified: Messages between buses, by event: originating bus and number.
        delivered: Deliveries by event.
        numbers: Number of each sighting in its network, with the sighting.
        seconds: From the starter event to the last delivery.
        resent: Messages that were sent again.
    """

    received: dict[str, int] = field(default_factory=dict)
    invocations: int = 0
    notified: dict[tuple[str, int], int] = field(default_factory=dict)
    delivered: dict[tuple[str, int], int] = field(default_factory=dict)
    numbers: dict[tuple[str, int], Sighting] = field(default_factory=dict)
    seconds: float = 0.0
    resent: int = 0


@dataclass(frozen=True, slots=True)
class SinkPlan:
    """A sink: its bus, and its filter."""

    name: str
    bus: str
    filter: Filter


def sinks_of(day: Day) -> tuple[SinkPlan, ...]:
    """Return the sinks of all experiments; each filter carries its list."""
    god = SinkPlan("God", "god", Among(Field("station"), _every_station(day)))
    brothers = tuple(
        SinkPlan(name, "big-brother", Among(Field("badge"), day.badges[kind]))
        for name, (kind, _) in BIG_BROTHER.items()
    )
    cameras = tuple(
        SinkPlan(f"CCTV-{network}", "cctv", Among(Field("station"), day.stations[network]))
        for network in NETWORKS
    )
    return (god, *brothers, *cameras)


def _every_station(day: Day) -> tuple[str, ...]:
    return tuple(station for stations in day.stations.values() for station in stations)


class SinkLog:
    """Writes and counts what a sink receives; one line: originating bus, number, station, badge."""

    def __init__(self, path: Path, counted: Counted, name: str) -> None:
        self._file = path.open("w", encoding="utf-8", buffering=1 << 16)
        self._counted = counted
        self._name = name
        counted.received[name] = 0

    def take(self, event: Event) -> None:
        """Accept an event."""
        self._counted.received[self._name] += 1
        bus = event.stamp.origin.partition("/")[0]
        key = (bus, event.stamp.sequence)
        self._counted.delivered[key] = self._counted.delivered.get(key, 0) + 1
        station, badge = event.values["station"], event.values["badge"].hex()
        self._file.write(f"{bus},{event.stamp.sequence},{station},{badge}\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def bus_of(network: str) -> str:
    """Return the bus of a network's stations."""
    return "net-" + network.replace("#", "-")


async def count(url: str, day: Day, mode: Mode, folder: Path) -> Counted:
    """Run all sinks over a day, and count.

    Args:
        url: Of a NATS server.
        day: The sightings.
        mode: Whether sinks have their filters.
        folder: Of the sinks' logs.

    Raises:
        TimeoutError: Not everything arrived in `QUIET_S`.
    """
    counted, building = Counted(), f"cambridge-{mode}"
    # Twelve networks at once as fast as they can: short lanes keep the broker's buffers short.
    options = BusOptions(BusSettings(lane_items=64, window=32, retry_us=2_000_000))
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        tap = await enter(Tap(url, building, BADGE_EVENT))
        buses = {
            name: await enter(EventBus([url], building, name, options))
            for name in ("god", "big-brother", "cctv", *map(bus_of, NETWORKS))
        }
        starter = await enter(BusClient(LocalTransport(buses["god"], "starter")))
        start = await starter.advertise(STARTER)
        replays = [
            await _station_network(stack, buses[bus_of(network)], network, day, counted)
            for network in NETWORKS
        ]
        for plan in sinks_of(day):
            log = SinkLog(folder / f"{mode},{plan.name}.csv", counted, plan.name)
            stack.callback(log.close)  # once its client has ended
            client = await enter(
                BusClient(LocalTransport(buses[plan.bus], plan.name.replace("#", "-")))
            )
            await client.subscribe(
                BADGE_EVENT, log.take, plan.filter if mode == "filtered" else None
            )
        loop = asyncio.get_running_loop()
        begun_s = loop.time()
        await start.notify({"speed": 0})
        await asyncio.gather(*(replay() for replay in replays))
        await _settle(list(buses.values()))
        counted.seconds = loop.time() - begun_s
        await tap.settle()
        counted.notified = tap.counted
        stations = [buses[bus_of(network)] for network in NETWORKS]
        counted.invocations = sum(each.counters.get("invocations", 0) for each in stations)
        counted.resent = sum(each.counters.get("resent", 0) for each in stations)
    return counted


async def _station_network(
    stack: AsyncExitStack, bus: EventBus, network: str, day: Day, counted: Counted
) -> Callable[[], Awaitable[None]]:
    """Return what replays a network's sightings once the starter event has come."""
    started = asyncio.Event()
    client = await stack.enter_async_context(BusClient(LocalTransport(bus, "stations")))
    source = TypedSource(client, SIGHTED)
    await source.start()
    await client.subscribe(STARTER, lambda _: started.set())
    own = [each for each in day.sightings if each.network == network]

    async def replay() -> None:
        await started.wait()
        for each in own:
            number = await _notify(source, ActiveBadge(each.station, each.badge))
            counted.numbers[bus.id, number] = each

    return replay


async def _notify(source: TypedSource[ActiveBadge], sighting: ActiveBadge) -> int:
    while True:
        try:
            return await source.notify(sighting)
        except NotifyError:
            await asyncio.sleep(0.02)  # the sinks' buses are behind: back-pressure


async def _settle(buses: Sequence[EventBus]) -> None:
    async with asyncio.timeout(QUIET_S):
        while any(  # noqa: ASYNC110 - counters of many buses are no event
            each.counters["waiting_to_send"] or each.counters["waiting_to_deliver"]
            for each in buses
        ):
            await asyncio.sleep(0.05)
