"""Sinks, sources and buses crash while events pass: cleaned up, and nothing persistent is lost."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from eventservices.bus import (
    BusClient,
    BusOptions,
    BusSettings,
    Event,
    EventBus,
    LocalTransport,
    NatsTransport,
    NotifyError,
    Source,
    SqliteStore,
)
from eventservices.servers import NatsServer, ServerSpec
from fes.testing.eventually import eventually

pytestmark = pytest.mark.broker

NAME = "ie.tcd.cs.Load"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with NatsServer(ServerSpec("crashes", tmp_path_factory.mktemp("crashes"))) as running:
        yield running


class Load:
    """A bus with a source that sends all the time, and a bus with a durable sink."""

    def __init__(self, server: NatsServer, folder: Path, building: str) -> None:
        self.urls, self.folder, self.building = [server.url], folder, building
        self.stack = AsyncExitStack()
        self.got: list[int] = []
        self.sent = 0
        self._goes_on = True

    def bus(self, name: str) -> EventBus:
        settings = BusSettings(hello_us=300_000, silent_us=4_000_000, retry_us=100_000)
        store = SqliteStore(self.folder / f"{name}.db")
        return EventBus(self.urls, self.building, name, BusOptions(settings, store, monitor_s=0.3))

    async def open(self) -> "Load":
        enter = self.stack.enter_async_context
        self.near, self.far = await enter(self.bus("near")), await enter(self.bus("far"))
        client = await enter(BusClient(LocalTransport(self.near, "source")))
        self.source: Source = await client.advertise(NAME)
        kept = await enter(BusClient(LocalTransport(self.far, "kept")))
        await kept.subscribe(NAME, self._take, durable="kept")
        self.sending = asyncio.create_task(self._send())
        return self

    async def close(self) -> None:
        self.sending.cancel()
        await asyncio.gather(self.sending, return_exceptions=True)
        await self.stack.aclose()

    async def settle(self) -> None:
        """Send no more, and wait for what was sent."""
        self._goes_on = False
        await self.sending  # cancelled amid a notification, it would not have counted it
        await eventually(lambda: len(self.got) >= self.sent, what="all that was sent")
        assert self.got[: self.sent] == list(range(self.sent))

    def _take(self, event: Event) -> None:
        self.got.append(event.values["n"])

    async def _send(self) -> None:
        while self._goes_on:
            try:
                await self.source.notify({"n": self.sent}, persistent=True)
                self.sent += 1
            except NotifyError:
                pass  # a lane is full, since its bus has crashed: it is sent later
            await asyncio.sleep(0.002)


@pytest.fixture
async def loads(server: NatsServer, tmp_path: Path) -> AsyncIterator[list[Load]]:
    made: list[Load] = []
    yield made
    for each in made:
        await each.close()


async def loaded(loads: list[Load], server: NatsServer, folder: Path, name: str) -> Load:
    load = Load(server, folder, name)
    loads.append(load)
    await load.open()
    await eventually(lambda: len(load.got) > 20, what="load")
    return load


async def test_a_sink_that_crashes_under_load_is_cleaned_up_at_both_buses(
    server: NatsServer, tmp_path: Path, loads: list[Load]
) -> None:
    load = await loaded(loads, server, tmp_path, "c1")
    transport = NatsTransport([server.url], "c1", "far", "doomed")
    doomed = await BusClient(transport).open()
    seen: list[Event] = []
    await doomed.subscribe(NAME, seen.append)
    await eventually(lambda: bool(seen), what="an event at the sink")
    await transport.close()
    await eventually(
        lambda: load.far.counters.get("clients_cleaned") == 1, what="the client is cleaned up"
    )
    await eventually(lambda: load.near.counters["remote_sinks"] == 1, what="so is its sink")
    await load.settle()


async def test_a_source_that_crashes_under_load_is_cleaned_up_and_what_it_sent_arrives(
    server: NatsServer, tmp_path: Path, loads: list[Load]
) -> None:
    load = await loaded(loads, server, tmp_path, "c2")
    transport = NatsTransport([server.url], "c2", "near", "doomed")
    doomed = await BusClient(transport).open()
    source = await doomed.advertise("ie.tcd.cs.Doomed")
    seen: list[int] = []
    client = await load.stack.enter_async_context(BusClient(LocalTransport(load.far, "its-sink")))
    await client.subscribe("ie.tcd.cs.Doomed", lambda event: seen.append(event.values["n"]))
    for number in range(50):
        await source.notify({"n": number})
    await transport.close()
    await eventually(
        lambda: load.near.counters.get("sources_cleaned") == 1, what="the source is cleaned up"
    )
    await eventually(lambda: seen == list(range(50)), what="what it had sent")
    await load.settle()


async def test_a_bus_that_crashes_under_load_is_cleaned_up_and_loses_nothing_persistent(
    server: NatsServer, tmp_path: Path, loads: list[Load]
) -> None:
    load = await loaded(loads, server, tmp_path, "c3")
    third = await load.bus("third").open()
    doomed = await BusClient(LocalTransport(third, "doomed")).open()
    seen: list[Event] = []
    await doomed.subscribe(NAME, seen.append)
    kept: list[int] = []
    also = await BusClient(LocalTransport(third, "also")).open()
    await also.subscribe(NAME, lambda event: kept.append(event.values["n"]), durable="third")
    await eventually(lambda: bool(seen) and bool(kept), what="events at the third bus")
    await third.kill()
    await eventually(lambda: load.near.counters.get("buses_cleaned", 0) >= 1, what="the clean-up")
    await eventually(lambda: load.near.counters["remote_sinks"] == 2, what="the durable sinks stay")
    third = await load.stack.enter_async_context(load.bus("third"))
    back = await load.stack.enter_async_context(BusClient(LocalTransport(third, "also")))
    await back.subscribe(NAME, lambda event: kept.append(event.values["n"]), durable="third")
    await load.settle()
    await eventually(lambda: kept[-1:] == [load.sent - 1], what="what was sent meanwhile")
    assert sorted(set(kept)) == list(range(kept[0], load.sent))


async def test_a_client_that_left_receives_nothing_more_and_its_durable_sink_loses_nothing(
    server: NatsServer, tmp_path: Path
) -> None:
    store = SqliteStore(tmp_path / "left.db")
    async with EventBus([server.url], "c4", "near", BusOptions(store=store)) as bus:
        client = await BusClient(LocalTransport(bus, "source")).open()
        source = await client.advertise(NAME)
        seen: list[int] = []
        goes_on = asyncio.Event()

        async def slow(event: Event) -> None:
            seen.append(event.values["n"])
            await goes_on.wait()

        leaving = await BusClient(LocalTransport(bus, "leaving")).open()
        await leaving.subscribe(NAME, slow, durable="kept")
        for number in range(20):
            await source.notify({"n": number}, persistent=True)
        await eventually(lambda: seen == [0], what="the first event")
        await leaving.close()
        goes_on.set()
        await eventually(lambda: bus.counters.get("deliveries_after_leave", 0) > 0)
        assert seen == [0]
        back = await BusClient(LocalTransport(bus, "back")).open()
        again: list[int] = []
        await back.subscribe(NAME, lambda event: again.append(event.values["n"]), durable="kept")
        await eventually(lambda: again[-1:] == [19], what="the rest")
        assert again[-19:] == list(range(1, 20))
        await client.close()
        await back.close()
