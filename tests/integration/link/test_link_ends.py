"""One suite over both ways to carry a link."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from fes.errors import LinkError
from fes.link.end import Hello, LinkEnd, Message
from fes.link.lanes import Lanes
from fes.link.memory import memory_link
from fes.link.messages import Done, Heard, Publish, Refuse, Subscribe, Taken
from fes.link.websocket import Dialler, SocketEnd
from fes.model import Stamp
from fes.testing.eventually import eventually
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

STAMP = Stamp("o", 1, 1, 5, "home")


def heard(number: int) -> Heard:
    return Heard(STAMP, (), "Speed", (number,), 0, 0, 0, False, b"x" * 50)


class Pair:
    """Both ends of a link, and what each received."""

    def __init__(self) -> None:
        self.near: LinkEnd
        self.far: LinkEnd
        self.at_near: list[Message] = []
        self.at_far: list[Message] = []


@asynccontextmanager
async def in_memory() -> AsyncIterator[Pair]:
    pair = Pair()
    near, far = memory_link()
    near.receive_with(pair.at_near.append)
    far.receive_with(pair.at_far.append)
    pair.near, pair.far = near, far
    yield pair


@asynccontextmanager
async def over_websocket() -> AsyncIterator[Pair]:
    pair = Pair()
    linked = asyncio.Event()

    async def take(socket: ServerConnection) -> None:
        end = SocketEnd(socket, pair.at_near.append)
        pair.near = end
        linked.set()
        await end.run()

    def up(end: SocketEnd) -> None:
        pair.far = end

    async with serve(take, "127.0.0.1", 0, compression=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        dialler = Dialler(
            f"ws://127.0.0.1:{port}",
            lambda: Hello("a", "s", 1, {}),
            up,
            lambda _: None,
            random.Random(1),
        )
        dialling = asyncio.create_task(dialler.run(pair.at_far.append))
        await asyncio.wait_for(linked.wait(), 30)
        await eventually(lambda: pair.at_near)
        pair.at_near.clear()
        yield pair
        dialling.cancel()
        await asyncio.gather(dialling, return_exceptions=True)


WAYS = {"memory": in_memory, "websocket": over_websocket}


@pytest.fixture(params=sorted(WAYS))
async def pair(request: pytest.FixtureRequest) -> AsyncIterator[Pair]:
    async with WAYS[request.param]() as found:
        yield found


async def test_messages_arrive_both_ways_in_order(pair: Pair) -> None:
    for number in range(3000):
        assert pair.far.send(heard(number))
        pair.near.send(Publish(STAMP, (), number, b"y"))

    await eventually(lambda: len(pair.at_near) == len(pair.at_far) == 3000)

    assert [m.matched[0] for m in pair.at_near if isinstance(m, Heard)] == list(range(3000))
    assert [m.expires_us for m in pair.at_far if isinstance(m, Publish)] == list(range(3000))


async def test_control_traffic_is_not_dropped_when_events_are(pair: Pair) -> None:
    sent = [pair.far.send(heard(number)) for number in range(25_000)]
    assert pair.far.send(Done(1))

    await eventually(lambda: Done(1) in pair.at_near)
    await eventually(lambda: len(pair.at_near) == sum(sent) + 1)

    assert sent.count(False) == 5_000
    assert pair.at_near.index(Done(1)) == 0
    dropped = pair.far.counters["link_dropped"]
    assert dropped == 5_000


async def test_a_closed_end_takes_nothing_more(pair: Pair) -> None:
    pair.near.send(Subscribe(1, "a", 1))
    await eventually(lambda: pair.at_far)
    await pair.near.close()
    await pair.near.close()

    pair.far.send(heard(1))
    await asyncio.sleep(0.05)

    assert not pair.at_near


async def test_a_refused_adapter_is_told_why_and_dials_again_later() -> None:
    reasons: list[str] = []

    async def refuse(socket: ServerConnection) -> None:
        end = SocketEnd(socket, lambda _: None)
        end.send(Refuse("another adapter of this id is linked"))
        task = asyncio.create_task(end.run())
        await asyncio.sleep(0.1)
        await end.close()
        await asyncio.gather(task, return_exceptions=True)

    async with serve(refuse, "127.0.0.1", 0, compression=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        dialler = Dialler(
            f"ws://127.0.0.1:{port}",
            lambda: Hello("a", "s", 1, {}),
            lambda _: None,
            reasons.append,
            random.Random(1),
        )
        dialling = asyncio.create_task(dialler.run(lambda _: None))
        await eventually(lambda: dialler.dials >= 2)
        dialling.cancel()
        await asyncio.gather(dialling, return_exceptions=True)

    assert "another adapter of this id is linked" in reasons[0]


async def test_a_peer_that_breaks_the_protocol_ends_the_link() -> None:
    failed: list[BaseException] = []

    async def take(socket: ServerConnection) -> None:
        try:
            await SocketEnd(socket, lambda _: None).run()
        except LinkError as error:
            failed.append(error)

    async with serve(take, "127.0.0.1", 0, compression=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with connect(f"ws://127.0.0.1:{port}", compression=None) as socket:
            await socket.send(b"\xff\xff no frame")
            await eventually(lambda: failed)

    assert "not a frame" in str(failed[0])


async def test_what_is_sent_after_the_end_of_a_link_is_counted_lost() -> None:
    ends: list[SocketEnd] = []

    async def take(socket: ServerConnection) -> None:
        ends.append(SocketEnd(socket, lambda _: None))
        await ends[0].run()

    async with serve(take, "127.0.0.1", 0, compression=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with connect(f"ws://127.0.0.1:{port}", compression=None):
            await eventually(lambda: ends)

        await eventually(lambda: not ends[0].send(heard(1)))

    assert not ends[0].send(Done(1))
    assert ends[0].counters["link_lost"] >= 2


async def test_a_link_is_closed_where_too_much_control_traffic_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fes.link.websocket.Lanes", lambda: Lanes(control=10))
    reasons: list[str] = []

    async def take(socket: ServerConnection) -> None:
        end = SocketEnd(socket, lambda _: None)
        sent = [end.send(Done(number)) for number in range(11)]
        assert sent == [True] * 10 + [False]
        try:
            await end.run()
        except LinkError as error:
            reasons.append(str(error))

    async with serve(take, "127.0.0.1", 0, compression=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async with connect(f"ws://127.0.0.1:{port}", compression=None) as socket:
            await socket.wait_closed()
            await eventually(lambda: reasons)

    assert "reads no more" in reasons[0]


async def test_a_link_in_memory_refuses_control_traffic_above_the_bound_and_counts_it() -> None:
    near, _ = memory_link(control=10)

    assert [near.send(Done(number)) for number in range(11)] == [True] * 10 + [False]
    assert near.counters["link_dropped"] == 1


async def test_a_message_that_cannot_be_taken_does_not_stop_those_behind_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    near, far = memory_link()
    taken: list[Message] = []

    def take(message: Message) -> None:
        if message == Done(1):
            raise ValueError("a bug")
        taken.append(message)

    far.receive_with(take)
    near.send(Done(1))
    near.send(Done(2))

    await eventually(lambda: taken == [Done(2)])
    assert far.counters["link_failed"] == 1
    assert "receiving_failed" in caplog.text


async def test_an_adapter_is_told_that_it_was_refused_and_later_that_its_link_is_used() -> None:
    """Pauses after a refusal may grow far beyond those after a link that broke."""
    told: list[str] = []
    asked: list[float] = []

    class Jitter(random.Random):
        def uniform(self, a: float, b: float) -> float:
            asked.append(b)
            return min(b, 0.02) if len(asked) < 8 else a

    async def answer(socket: ServerConnection) -> None:
        end = SocketEnd(socket, lambda _: None)
        end.send(Refuse("it is linked already") if len(told) < 3 else Taken(1))
        task = asyncio.create_task(end.run())
        await asyncio.sleep(0.1)
        await end.close()
        await asyncio.gather(task, return_exceptions=True)

    async with serve(answer, "127.0.0.1", 0, compression=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        dialler = Dialler(
            f"ws://127.0.0.1:{port}",
            lambda: Hello("a", "s", 1, {}),
            lambda _: None,
            lambda _: None,
            Jitter(1),
            on_refused=told.append,
            on_granted=lambda: told.append("granted"),
        )
        dialling = asyncio.create_task(dialler.run(lambda _: None))
        await eventually(lambda: "granted" in told)
        dialling.cancel()
        await asyncio.gather(dialling, return_exceptions=True)

    assert told[:4] == [*["the gateway refused the link: it is linked already"] * 3, "granted"]
