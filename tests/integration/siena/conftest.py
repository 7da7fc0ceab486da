"""Two nats-servers in a cluster, and connections to them."""

import asyncio
import json
import time
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest
from eventservices.natslink import LinkOptions
from eventservices.servers import NatsServer, ServerSpec
from eventservices.siena import Connection, Options, Semantics

QUICK = Options(link=LinkOptions(probe_timeout_s=1.0), digest_interval_s=0.2, join_wait_s=0.1)

Eventually = Callable[[Callable[[], bool]], Awaitable[None]]
Connect = Callable[..., Awaitable[Connection]]

_numbers = count()


@dataclass(frozen=True)
class Cluster:
    """Two servers that are one service."""

    a: NatsServer
    b: NatsServer

    @property
    def urls(self) -> list[str]:
        return [self.a.url, self.b.url]


def start_cluster(folder: Path) -> Cluster:
    """Start two servers and wait for their route."""
    name = f"siena{next(_numbers)}"
    a = NatsServer(ServerSpec(f"{name}-a", folder, cluster=name)).start()
    b = NatsServer(ServerSpec(f"{name}-b", folder, cluster=name, routes=(a.route,))).start()
    deadline = time.monotonic() + 10
    while not all(_routed(server) for server in (a, b)):
        assert time.monotonic() < deadline, "the servers did not find each other"
        time.sleep(0.02)
    return Cluster(a, b)


def _routed(server: NatsServer) -> bool:
    address = f"http://{server.host}:{server.http_port}/routez"
    with urllib.request.urlopen(address, timeout=5) as answer:
        return bool(json.load(answer)["num_routes"])


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Return a cluster that the tests of a module share."""
    running = start_cluster(tmp_path_factory.mktemp("siena"))
    yield running
    running.a.stop()
    running.b.stop()


@pytest.fixture
def own_cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Return a cluster that a test may break."""
    running = start_cluster(tmp_path)
    yield running
    running.a.kill()
    running.b.kill()


@pytest.fixture
def service() -> str:
    """Return the name of a service that no other test uses."""
    return f"service-{next(_numbers)}"


@pytest.fixture
async def connect(service: str) -> AsyncIterator[Connect]:
    """Return a function that opens a connection, closed when the test ends."""
    async with AsyncExitStack() as stack:

        async def connect(
            *urls: str,
            index: str | None = None,
            semantics: Semantics = Semantics.SUBSCRIPTION,
            options: Options = QUICK,
        ) -> Connection:
            connection = Connection(
                urls, service, index=index, semantics=semantics, options=options
            )
            return await stack.enter_async_context(connection)

        yield connect


@pytest.fixture
def eventually() -> Eventually:
    """Return a function that waits until a condition holds."""

    async def wait(condition: Callable[[], bool], timeout_s: float = 15.0) -> None:
        async with asyncio.timeout(timeout_s):
            while not condition():  # noqa: ASYNC110 - what is waited for has no event
                await asyncio.sleep(0.01)

    return wait
