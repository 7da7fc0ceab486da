import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack

import pytest
from eventservices.cns import Connection
from eventservices.cns.domains import ChannelPlace, DomainOptions, EventDomain, EventDomainFactory
from eventservices.cns.domains.moving.handles import Brokers
from eventservices.natslink import LinkOptions
from eventservices.servers import NatsServer, ServerSpec

Eventually = Callable[[Callable[[], object]], Awaitable[None]]
Connect = Callable[..., Awaitable[Connection]]
Made = Callable[..., Awaitable[EventDomain]]

LINK = LinkOptions(open_timeout_s=5.0, probe_interval_s=0.5, probe_timeout_s=1.0)

_numbers = itertools.count(1)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    folder = tmp_path_factory.mktemp("nats")
    with NatsServer(ServerSpec("domains", folder, jetstream=True)) as started:
        yield started


@pytest.fixture
def eventually() -> Eventually:
    async def wait(condition: Callable[[], object]) -> None:
        deadline = time.monotonic() + 15.0
        while not condition():
            assert time.monotonic() < deadline, "it did not come true within 15 s"
            await asyncio.sleep(0.005)

    return wait


@pytest.fixture
async def connect(server: NatsServer) -> AsyncIterator[Connect]:
    """Open connections that the test's end closes."""
    async with AsyncExitStack() as stack:

        async def make(url: str = server.url) -> Connection:
            return await stack.enter_async_context(Connection(url, name="client", link=LINK))

        yield make


@pytest.fixture
async def factory() -> AsyncIterator[EventDomainFactory]:
    options = DomainOptions(poll_s=0.005)
    async with EventDomainFactory(Brokers(LINK), options=options) as opened:
        yield opened


@pytest.fixture
def place(server: NatsServer) -> Callable[[str], ChannelPlace]:
    """Name channels of this test."""
    number = next(_numbers)
    return lambda name: ChannelPlace(server.url, f"test-{number}-{name}")


@pytest.fixture
def domain_of(factory: EventDomainFactory, place: Callable[[str], ChannelPlace]) -> Made:
    """Make a domain of some channels."""

    async def make(channels: int, **qos: int) -> EventDomain:
        domain, _ = await factory.create_event_domain(qos)
        for number in range(channels):
            await domain.add_channel(place(str(number)))
        return domain

    return make
