"""Real brokers, and a proxy in front of each that misbehaves as it is told to."""

from collections.abc import AsyncIterator, Iterator

import pytest
from eventservices.servers import NatsServer, ServerSpec
from support.processes.proxy import Proxy


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    spec = ServerSpec("traps", tmp_path_factory.mktemp("broker"), mqtt=True)
    with NatsServer(spec) as started:
        yield started


@pytest.fixture
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    """Give a server that a test may halt, kill and start again."""
    with NatsServer(ServerSpec("own", tmp_path_factory.mktemp("own"), mqtt=True)) as started:
        yield started


@pytest.fixture
async def nats_proxy(server: NatsServer) -> AsyncIterator[Proxy]:
    async with Proxy(server.port) as proxy:
        yield proxy


@pytest.fixture
async def mqtt_proxy(server: NatsServer) -> AsyncIterator[Proxy]:
    async with Proxy(server.mqtt_port) as proxy:
        yield proxy
