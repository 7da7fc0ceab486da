"""A real NATS server, adapters of one channel each, and a native client of it."""

import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from adapter_cns.adapter import CnsAdapter
from eventservices.cns import Connection, EventChannel
from eventservices.servers import NatsServer, ServerSpec
from fes.adapter.pool import ConnectionPool
from fes.mapping import Mapping, load_rules
from support.processes.contexts import adapter_context

MakeAdapter = Callable[..., CnsAdapter]

_numbers = itertools.count(1)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with NatsServer(ServerSpec("adapter-cns", tmp_path_factory.mktemp("nats"))) as started:
        yield started


@pytest.fixture
def service() -> str:
    return f"cns-v-{next(_numbers)}"


@pytest.fixture
def pool() -> ConnectionPool:
    return ConnectionPool()


@pytest.fixture
def make(server: NatsServer, service: str, pool: ConnectionPool) -> MakeAdapter:
    def adapter(
        name: str = "g",
        *,
        rules: list[dict[str, Any]] | None = None,
        hears_control: bool = False,
        url: str = server.url,
        of: str = service,
        **settings: Any,
    ) -> CnsAdapter:
        context = adapter_context(name, of, CnsAdapter, pool, settings=settings, brokers=(url,))
        mapping = Mapping(load_rules(rules or [], Path()))
        return CnsAdapter(replace(context, mapping=mapping, hears_control=hears_control))

    return adapter


@pytest.fixture
async def channel(server: NatsServer, service: str) -> AsyncIterator[EventChannel]:
    """Give the service's channel, as a native client of its own connection has it open."""
    async with AsyncExitStack() as stack:
        connection = await stack.enter_async_context(Connection(server.url, name="native"))
        yield await connection.open_channel(service)
