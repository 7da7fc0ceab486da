import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack

import pytest
from eventservices.cns import Connection
from eventservices.natslink import LinkOptions
from eventservices.ports import free_port
from eventservices.servers import NatsServer, ServerSpec

Eventually = Callable[[Callable[[], object]], Awaitable[None]]
Connect = Callable[..., Awaitable[Connection]]

_numbers = itertools.count(1)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with NatsServer(ServerSpec("cns", tmp_path_factory.mktemp("nats"))) as started:
        yield started


@pytest.fixture(scope="session")
def store_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """Give a server that keeps streams."""
    folder = tmp_path_factory.mktemp("nats")
    with NatsServer(ServerSpec("store", folder, jetstream=True)) as started:
        yield started


@pytest.fixture
def mortal_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """Give a server that keeps streams, and that the test may kill and start again."""
    folder = tmp_path_factory.mktemp("nats")
    with NatsServer(ServerSpec("mortal", folder, jetstream=True, port=free_port())) as started:
        yield started


@pytest.fixture
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """Give a server that the test may stop."""
    with NatsServer(ServerSpec("own", tmp_path_factory.mktemp("nats"))) as started:
        yield started


@pytest.fixture
def channel_name() -> str:
    return f"channel-{next(_numbers)}"


@pytest.fixture
def eventually() -> Eventually:
    async def wait(condition: Callable[[], object]) -> None:
        deadline = time.monotonic() + 10.0
        while not condition():
            assert time.monotonic() < deadline, "it did not come true within 10 s"
            await asyncio.sleep(0.005)

    return wait


@pytest.fixture
async def connect(server: NatsServer) -> AsyncIterator[Connect]:
    """Open connections that the test's end closes."""
    async with AsyncExitStack() as stack:

        async def make(
            name: str = "client",
            url: str = server.url,
            beat_s: float = 5.0,
            clock_us: Callable[[], int] | None = None,
        ) -> Connection:
            link = LinkOptions(open_timeout_s=5.0, probe_interval_s=0.5, probe_timeout_s=1.0)
            return await stack.enter_async_context(
                Connection(url, name=name, link=link, beat_s=beat_s, clock_us=clock_us)
            )

        yield make
