"""An adapter in a link with every replica of its gateway, over real WebSockets."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar

import pytest
from fes.adapter import AdapterRuntime
from fes.adapter.pool import ConnectionPool
from fes.adapter.replicas import dialling as dialling_module
from fes.adapter.replicas.dialling import Dialling, addresses_of, links
from fes.eventlog import NullLog
from fes.link.end import Hello, Message
from fes.link.messages import (
    Announce,
    Counted,
    Desired,
    Done,
    Heard,
    Publish,
    Refuse,
    Subscribe,
    View,
)
from fes.link.rendezvous import owner
from fes.link.websocket import SocketEnd
from fes.model import Event, Stamp, binary
from fes.testing.eventually import eventually
from fes.testing.memory import MemoryAdapter, MemoryClient, buses
from support.processes.contexts import adapter_context
from websockets.asyncio.server import Server, ServerConnection, serve

M = TypeVar("M", bound=Message)
MEMBERS = ("one", "two")
HOST = "gateway.test"


def at(port: int) -> tuple[str, ...]:
    """Return where a gateway listens whose name has the addresses that a test gives it."""
    return (f"ws://{HOST}:{port}/link",)


class FakeGateway:
    """A replica that says what it is told to, and keeps what it hears."""

    def __init__(self, name: str, base: int) -> None:
        self.name = name
        self.base = base
        self.view = View(1, name, "one", MEMBERS)
        self.filters: tuple[str, ...] = ("rate > 0",)
        self.got: list[Message] = []
        self.end: SocketEnd | None = None
        self.refusing = ""
        self._server: Server | None = None

    async def start(self, host: str, port: int = 0) -> int:
        """Listen; returns the port."""
        self._server = await serve(self._take, host, port, compression=None)
        return int(next(iter(self._server.sockets)).getsockname()[1])

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
            self._server = None

    def say(self, message: Message) -> None:
        assert self.end is not None
        self.end.send(message)

    def told(self, kind: type[M]) -> list[M]:
        return [message for message in self.got if isinstance(message, kind)]

    @property
    def sequences(self) -> list[int]:
        return [message.stamp.sequence for message in self.got if isinstance(message, Heard)]

    async def _take(self, socket: ServerConnection) -> None:
        end = SocketEnd(socket, self._receive)
        self.end = end
        await end.run()

    def _receive(self, message: Message) -> None:
        self.got.append(message)
        if isinstance(message, Hello):
            if self.refusing:
                self.say(Refuse(self.refusing))
                return
            self.say(self.view)
            asked = (Subscribe(self.base + n, text, 1) for n, text in enumerate(self.filters))
            body = binary.encode(Event.of("Speed"))
            self.say(Desired(1, tuple(asked), (Announce(self.base + 500, body),)))


class Names:
    """Names and their addresses, as a test has them."""

    def __init__(self, *addresses: str) -> None:
        self.addresses = frozenset(addresses)
        self.fails = False

    async def resolve(self, host: str) -> frozenset[str]:
        assert host == HOST
        if self.fails:
            raise OSError("no name server answers")
        return self.addresses


class Bench:
    """An adapter of an event service in memory, and what dials its gateway."""

    def __init__(self, name: str, links: tuple[str, ...], names: Names | None = None) -> None:
        self.adapter = MemoryAdapter(adapter_context("g", name, MemoryAdapter, ConnectionPool()))
        self.runtime = AdapterRuntime(self.adapter, NullLog())
        self.bus = buses[name]
        self.dialling = Dialling(
            links,
            self.runtime.link,
            lambda: Hello(self.adapter.id, name, 1, {}),
            lambda end: end.send(self.runtime.counted()),
            self._beyond,
            random.Random(1),
            names.resolve if names else addresses_of,
        )

    def counter(self, name: str) -> int:
        return self.runtime.counted().counters[name]

    def _beyond(self, addresses: int) -> None:
        self.runtime.multiplexer.beyond = addresses


@asynccontextmanager
async def dialled(bench: Bench) -> AsyncIterator[Bench]:
    async with bench.runtime:
        task = asyncio.create_task(bench.dialling.run())
        try:
            yield bench
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialling_module, "RESOLVE_S", 0.05)
    monkeypatch.setattr("fes.link.websocket.MOST_DELAY_S", 0.2)
    monkeypatch.setattr("fes.adapter.runtime.PROBE_S", 0.1)


@asynccontextmanager
async def two(name: str) -> AsyncIterator[tuple[FakeGateway, FakeGateway, Bench, Names]]:
    """Have two replicas at two addresses of one name, and an adapter that is linked to both."""
    one, other = FakeGateway("one", 100), FakeGateway("two", 7000)
    port = await one.start("127.0.0.1")
    await other.start("127.0.0.2", port)
    names = Names("127.0.0.1", "127.0.0.2")
    try:
        async with dialled(Bench(name, at(port), names)) as bench:
            await eventually(lambda: bench.counter("replica_links") == 2)
            await eventually(lambda: len(one.told(Done)) == len(other.told(Done)) == 2)
            yield one, other, bench, names
    finally:
        await one.stop()
        await other.stop()


def publishers(bench: Bench) -> dict[str, MemoryClient]:
    """Return a client whose events belong to each replica."""
    names = {owner(f"client {n}", MEMBERS): f"client {n}" for n in range(50)}
    return {replica: MemoryClient(bench.bus, name) for replica, name in names.items()}


async def test_both_replicas_share_one_native_subscription_and_the_events(
    request: pytest.FixtureRequest,
) -> None:
    async with two(request.node.name) as (one, other, bench, _):
        assert bench.bus.subscribed == {"rate > 0": 1}
        assert bench.bus.announced == {"Speed": 1}
        clients = publishers(bench)
        for number in range(100):
            for client in clients.values():
                client.publish(Event.of("Speed", rate=number + 1.0))

        await eventually(lambda: len(one.sequences) == len(other.sequences) == 100)

        assert one.sequences == other.sequences == list(range(1, 101))
        assert {m.matched for m in one.told(Heard) if isinstance(m, Heard)} == {(100,)}
        assert {m.matched for m in other.told(Heard) if isinstance(m, Heard)} == {(7000,)}
        await eventually(lambda: one.told(Counted) and other.told(Counted))


async def test_events_for_a_replica_that_went_go_to_the_one_that_is_left(
    request: pytest.FixtureRequest,
) -> None:
    async with two(request.node.name) as (one, other, bench, names):
        client = publishers(bench)["two"]
        await other.stop()
        names.addresses = frozenset({"127.0.0.1"})
        await eventually(lambda: bench.counter("replica_links") == 1)
        for number in range(10):
            client.publish(Event.of("Speed", rate=number + 1.0))
        await eventually(lambda: bench.counter("replica_waiting") == 10)

        one.say(View(2, "one", "one", ("one",)))
        await eventually(lambda: len(one.sequences) == 10)

        assert one.sequences == list(range(1, 11))
        assert bench.bus.subscribed == {"rate > 0": 1}
        await eventually(lambda: len(bench.dialling.addresses) == 1)


async def test_a_replica_that_comes_later_is_found_by_its_name(
    request: pytest.FixtureRequest,
) -> None:
    one, other = FakeGateway("one", 100), FakeGateway("two", 7000)
    port = await one.start("127.0.0.1")
    names = Names("127.0.0.1")
    async with dialled(Bench(request.node.name, at(port), names)) as bench:
        await eventually(lambda: one.told(Done))
        other.filters = ("rate > 0", "rate > 5")
        await other.start("127.0.0.2", port)
        names.addresses |= {"127.0.0.2"}

        await eventually(lambda: len(other.told(Done)) == 3)

        assert bench.bus.subscribed == {"rate > 0": 1}, "it covers the other"
        assert Done(7000, widened=one.told(Done)[0].widened) in other.told(Done)
    await one.stop()
    await other.stop()


async def test_replicas_may_have_addresses_of_their_own(request: pytest.FixtureRequest) -> None:
    one, other = FakeGateway("one", 100), FakeGateway("two", 7000)
    ports = [await one.start("127.0.0.1"), await other.start("127.0.0.1")]
    text = ",".join(f"ws://127.0.0.1:{port}/link" for port in ports)
    async with dialled(Bench(request.node.name, links(text))) as bench:
        await eventually(lambda: bench.counter("replica_links") == 2)

        assert [address.port for address in bench.dialling.addresses] == ports
    await one.stop()
    await other.stop()


async def test_a_takeover_moves_who_may_publish(request: pytest.FixtureRequest) -> None:
    async with two(request.node.name) as (one, other, bench, _):
        body = binary.encode(Event.of("Speed", rate=1.0))
        order = Publish(Stamp("far", 1, 1, 5, "away"), (), 0, body, 0, row=1)
        for gateway in (one, other):
            gateway.say(View(2, gateway.name, "two", MEMBERS))
        other.say(order)
        await eventually(lambda: bench.bus.published == 1)
        one.say(order)

        await eventually(lambda: bench.counter("replica_fenced") == 1)
        assert bench.bus.published == 1


async def test_what_a_restarted_replica_wants_is_not_made_twice(
    request: pytest.FixtureRequest,
) -> None:
    async with two(request.node.name) as (one, _, bench, _):
        assert one.end is not None
        one.base, links = 90_000, len(one.told(Hello))
        await one.end.close()
        await eventually(lambda: len(one.told(Hello)) > links)
        await eventually(lambda: any(done.number == 90_000 for done in one.told(Done)))

        assert bench.bus.subscribed == {"rate > 0": 1}
        assert bench.bus.announced == {"Speed": 1}


async def test_a_name_that_cannot_be_looked_up_keeps_its_addresses(
    request: pytest.FixtureRequest,
) -> None:
    async with two(request.node.name) as (one, _, bench, names):
        names.fails = True
        assert one.end is not None
        hellos = len(one.told(Hello))
        await one.end.close()

        await eventually(lambda: len(one.told(Hello)) > hellos)
        assert len(bench.dialling.addresses) == 2


async def test_a_replica_that_refuses_the_link_is_dialled_again(
    request: pytest.FixtureRequest,
) -> None:
    gateway = FakeGateway("one", 100)
    gateway.refusing = "another adapter of this id is linked"
    port = await gateway.start("127.0.0.1")
    async with dialled(Bench(request.node.name, at(port), Names("127.0.0.1"))) as bench:
        await eventually(lambda: gateway.told(Hello))
        assert not bench.runtime.multiplexer.linked
        gateway.refusing = ""
        gateway.view = View(1, "one", "one", ("one",))
        assert gateway.end is not None
        await gateway.end.close()

        await eventually(lambda: bench.runtime.multiplexer.linked)
    await gateway.stop()


async def test_no_more_than_sixteen_addresses_are_dialled(request: pytest.FixtureRequest) -> None:
    names = Names(*(f"127.0.1.{n}" for n in range(1, 20)))
    async with dialled(Bench(request.node.name, at(9), names)) as bench:
        await eventually(lambda: bench.counter("replicas_beyond") == 3)
        dialled_first = set(bench.dialling.addresses)
        assert len(dialled_first) == 16

        names.addresses -= {address.host for address in dialled_first}
        await eventually(lambda: bench.counter("replicas_beyond") == 0)

        await eventually(lambda: len(bench.dialling.addresses) == 3)


def test_links_are_one_or_several_addresses() -> None:
    assert links("ws://g1:8090/link") == ("ws://g1:8090/link",)
    assert links("ws://g1:1/link, wss://g2/link") == ("ws://g1:1/link", "wss://g2/link")


@pytest.mark.parametrize(
    "text", ["", "g1:8090", "http://g1/link", "ws:///link", "ws://a,", "ws://a:x"]
)
def test_what_is_no_address_of_a_link_is_not_taken(text: str) -> None:
    with pytest.raises(ValueError, match=r"address|port"):
        links(text)


async def test_an_address_is_its_own_and_a_name_has_others() -> None:
    assert await addresses_of("127.0.0.9") == {"127.0.0.9"}
    assert await addresses_of("::1") == {"::1"}
    assert "127.0.0.1" in await addresses_of("localhost")
