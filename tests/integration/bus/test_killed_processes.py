"""Processes of a building are killed, or halted and let go on, while events pass.

What they leave is cleaned up within the bound of each: two looks of the monitor for a client, the
time of silence for a bus. Nothing persistent is lost, and counters report what happened.
"""

import asyncio
import os
import signal
import sys
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from eventservices.bus import BusClient, Event, EventBus, LocalTransport, NatsTransport, NotifyError
from eventservices.bus.binding.naming_client import NamingClient
from eventservices.bus.wire.naming import Lookup
from eventservices.natslink import NatsLink
from eventservices.servers import NatsServer, ServerSpec
from fes.testing.eventually import eventually
from integration.bus import parts
from serving.children import end, started

pytestmark = [pytest.mark.broker, pytest.mark.timeout(240)]

HOW = pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "halted"])
ENOUGH = 300
"""Events before the crash, while a part is away, and after it is back."""

LINKS = {"root": "***THIS_DOMAIN_IS***=.\nie.=ie\n", "ie": "***THIS_DOMAIN_IS***=ie.\n.=root\n"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with NatsServer(ServerSpec("killed", tmp_path_factory.mktemp("killed"))) as running:
        yield running


class Building:
    """Two buses of this process with a steady load between them, and processes."""

    def __init__(self, server: NatsServer, name: str, folder: Path, stack: AsyncExitStack) -> None:
        self.url, self.name, self.folder, self.stack = server.url, name, folder, stack
        self.got: list[int] = []
        self.best_effort = 0
        self.sent = 0
        self._goes_on = True

    async def open(self) -> "Building":
        enter = self.stack.enter_async_context
        self.link = await enter(NatsLink([self.url]))
        naming = NamingClient(self.link, self.name, parts.SERVERS)
        self.near, self.far = [
            await enter(
                EventBus([self.url], self.name, name, parts.options(self.folder, name, naming))
            )
            for name in ("near", "far")
        ]
        client = await enter(BusClient(LocalTransport(self.near, "source")))
        self.source = await client.advertise(parts.LOAD)
        self.sinks = await enter(BusClient(LocalTransport(self.far, "kept")))
        await self.sinks.subscribe(parts.LOAD, self._take, durable="kept")
        self.sending = asyncio.create_task(self._send())
        self.stack.callback(self.sending.cancel)
        await self.further()
        return self

    def process(self, module: str, *words: str) -> int:
        """Start a process, which ends with the test."""
        out = self.stack.enter_context((self.folder / "out").open("ab"))
        command = (sys.executable, *module.split(), *words)
        process = self.stack.enter_context(started(command, stdout=out, stderr=out))
        self.stack.callback(end, process, 5.0)
        return process.pid

    def part(self, role: str, bus: str) -> int:
        words = (role, self.url, self.name, bus, str(self.folder))
        return self.process(parts.__file__, *words)

    def naming_server(self, name: str) -> int:
        file = self.folder / f"{name}.links"
        file.write_text(LINKS[name])
        words = ("--nats", self.url, "--building", self.name, "--server", name)
        store = ("--store", str(self.folder / f"{name}.names"))
        return self.process("-m fes_naming", *words, "--links", str(file), *store)

    async def further(self) -> None:
        """Wait until the load has gone on for some hundred events."""
        wanted = len(self.got) + ENOUGH
        await eventually(lambda: len(self.got) >= wanted, what="the load goes on")

    async def settle(self) -> None:
        """Send no more; all that was sent has come, once and in order."""
        self._goes_on = False
        await self.sending
        await eventually(lambda: len(self.got) >= self.sent, what="all that was sent")
        assert self.got == list(range(self.sent))

    def _take(self, event: Event) -> None:
        self.got.append(event.values["n"])

    async def _send(self) -> None:
        while self._goes_on:
            try:
                await self.source.notify({"n": self.sent}, persistent=True)
            except NotifyError:
                pass  # a lane is full, since a bus is away: it is sent later
            else:
                self.sent += 1
            await asyncio.sleep(parts.PAUSE_S)


@pytest.fixture
async def building(server: NatsServer, tmp_path: Path) -> AsyncIterator[Building]:
    name = uuid.uuid4().hex
    async with AsyncExitStack() as stack:
        yield await Building(server, name, tmp_path, stack).open()


def go_on(building: Building, pid: int, how: signal.Signals, role: str, bus: str) -> None:
    """Start a part again that was killed, or let one go on that was halted."""
    if how is signal.SIGKILL:
        building.part(role, bus)
    else:
        os.kill(pid, signal.SIGCONT)


@HOW
async def test_a_crashed_sink_is_cleaned_up_under_load_and_its_durable_events_wait(
    building: Building, how: signal.Signals
) -> None:
    near, far, folder = building.near, building.far, building.folder
    pid = building.part("sink", "far")
    await eventually(lambda: len(parts.noted(folder, "sink")) > ENOUGH, what="events at the sink")
    assert near.counters["remote_sinks"] == 3
    os.kill(pid, how)
    await eventually(lambda: far.counters.get("clients_cleaned", 0) == 1, what="the clean-up")
    assert far.counters["sinks_cleaned"] == 2
    await eventually(lambda: near.counters["remote_sinks"] == 2, what="the durable sinks stay")
    await building.further()
    go_on(building, pid, how, "sink", "far")
    await eventually(lambda: near.counters["remote_sinks"] == 3, what="the sink is back")
    await building.further()
    await building.settle()
    first = parts.noted(folder, "sink")[0]

    def all_came() -> bool:
        return set(parts.noted(folder, "sink")) == set(range(first, building.sent))

    await eventually(all_came, what="what was sent meanwhile")


@HOW
async def test_a_crashed_source_is_cleaned_up_under_load_and_what_it_sent_arrives(
    building: Building, how: signal.Signals
) -> None:
    near, folder = building.near, building.folder
    got: list[int] = []
    await building.sinks.subscribe(
        parts.DOOMED, lambda event: got.append(event.values["n"]), durable="doomed"
    )
    pid = building.part("source", "near")
    await eventually(lambda: len(got) > ENOUGH, what="events of the source")
    os.kill(pid, how)
    await eventually(lambda: near.counters.get("sources_cleaned", 0) == 1, what="the clean-up")
    assert near.counters["clients_cleaned"] == 1
    await building.further()
    before = len(parts.noted(folder, "source"))
    go_on(building, pid, how, "source", "near")
    await eventually(
        lambda: len(parts.noted(folder, "source")) > before + ENOUGH, what="it sends again"
    )
    await building.settle()
    accepted = parts.noted(folder, "source")
    await eventually(lambda: set(accepted) <= set(got), what="all that was accepted")
    assert [each for each in got if each < before] == list(range(before))


@HOW
async def test_a_crashed_bus_is_cleaned_up_under_load_and_its_durable_events_wait(
    building: Building, how: signal.Signals
) -> None:
    near = building.near
    pid = building.part("bus", "third")
    kept: list[int] = []
    transport = NatsTransport([building.url], building.name, "third", "its-client")
    client = BusClient(transport)
    await eventually(lambda: near.counters["buses"] == 2, what="the third bus")
    await building.stack.enter_async_context(client)
    await client.subscribe(
        parts.LOAD, lambda event: kept.append(event.values["n"]), durable="third"
    )
    await client.subscribe(parts.LOAD, lambda _: None)
    await eventually(lambda: len(kept) > ENOUGH, what="events at the third bus")
    os.kill(pid, how)
    await eventually(lambda: near.counters.get("buses_cleaned", 0) == 1, what="the clean-up")
    await eventually(lambda: near.counters["remote_sinks"] == 2, what="the durable sinks stay")
    await building.further()
    go_on(building, pid, how, "bus", "third")
    await eventually(lambda: near.counters["remote_sinks"] == 3, what="the bus is back")
    await building.further()
    await building.settle()
    await eventually(lambda: kept[-1] == building.sent - 1, what="what was sent meanwhile")
    assert kept == list(range(kept[0], building.sent))
    assert near.counters["resent"] > 0


@HOW
async def test_a_crashed_naming_server_keeps_no_event_from_its_sinks(
    building: Building, how: signal.Signals
) -> None:
    naming = NamingClient(building.link, building.name, ["root"])

    async def knows(name: str, bus: str) -> bool:
        result = await naming.ask(Lookup(name))
        return result is not None and bus in result.buses

    building.naming_server("root")
    pid = building.naming_server("ie")
    await eventually(lambda: knows(parts.LOAD, "near"), 60, "the name")
    os.kill(pid, how)
    await building.further()
    late: list[int] = []
    await building.sinks.subscribe(
        parts.DOOMED, lambda event: late.append(event.values["n"]), durable="late"
    )
    building.part("source", "near")
    await eventually(lambda: len(late) > ENOUGH, what="events of a source that nobody could add")
    assert not await knows(parts.DOOMED, "near")
    if how is signal.SIGKILL:
        building.naming_server("ie")
    else:
        os.kill(pid, signal.SIGCONT)
    await eventually(lambda: knows(parts.DOOMED, "near"), 60, "the name")
    await eventually(lambda: knows(parts.LOAD, "near"), 60, "the name, renewed")
    await building.further()
    await building.settle()
