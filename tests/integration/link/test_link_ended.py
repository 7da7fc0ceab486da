"""A link that is ended at once, and one whose other end is halted."""

import asyncio
import random
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager

import pytest
from fes.eventlog import NullLog
from fes.federation.clock import FederationClock
from fes.gateway import AdapterSettings, GatewaySettings
from fes.link.end import Hello
from fes.link.frames import Frame, encode_frame
from fes.link.websocket import Dialler
from fes.testing.eventually import eventually
from fes_gateway.host import GatewayHost
from fes_gateway.linkserver import LinkServer
from fes_gateway.store import MemoryJournal
from websockets.asyncio.server import ServerConnection, serve
from websockets.client import ClientProtocol
from websockets.uri import parse_uri

HELLO = Hello("g1.north", "north", 1, {})
ADAPTERS = {"north": AdapterSettings("g1.north", "north")}
SETTINGS = GatewaySettings("g1", "test", ADAPTERS, ("north",))


class Highest(random.Random):
    """Draws the least, and notes the most that it might have drawn."""

    def __init__(self) -> None:
        super().__init__(1)
        self.most: list[float] = []

    def uniform(self, a: float, b: float) -> float:
        self.most.append(b)
        return min(b, 2 * a)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_link_that_is_ended_at_once_is_dialled_ever_more_rarely() -> None:
    async def kick(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.close()

    async with serve(kick, "127.0.0.1", 0, compression=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        draws = Highest()
        dialler = Dialler(
            f"ws://127.0.0.1:{port}", lambda: HELLO, lambda _: None, lambda _: None, draws
        )
        dialling = asyncio.create_task(dialler.run(lambda _: None))
        await eventually(lambda: len(draws.most) >= 3)
        dialling.cancel()
        await asyncio.gather(dialling, return_exceptions=True)
    assert draws.most[0] < draws.most[1]


@asynccontextmanager
async def halted_peer(port: int) -> AsyncIterator[None]:
    """Have an adapter say hello, and then nothing: as one that was halted."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    protocol = ClientProtocol(parse_uri(f"ws://127.0.0.1:{port}/link"))
    protocol.send_request(protocol.connect())
    writer.writelines(protocol.data_to_send())
    protocol.receive_data(await reader.read(4096))
    protocol.send_binary(encode_frame(Frame(1, 0, (HELLO,))))
    writer.writelines(protocol.data_to_send())
    try:
        yield
    finally:
        writer.close()


async def test_an_adapter_that_is_halted_does_not_hold_up_the_stop_of_its_gateway() -> None:
    with ThreadPoolExecutor(1) as executor:
        clock = FederationClock(0, 0, 1)
        host = GatewayHost(SETTINGS, MemoryJournal(), executor, NullLog(), clock)
        await host.start()
        links = LinkServer({"g1": host}, "127.0.0.1", 0)
        await links.start()
        async with halted_peer(links.port):
            await eventually(lambda: host.adapters["north"].linked)
            async with asyncio.timeout(5):
                await links.stop()
        await host.stop()
