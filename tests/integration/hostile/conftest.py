"""Real brokers for whoever is hostile to them."""

from collections.abc import Iterator

import pytest
from eventservices.servers import NatsServer, ServerSpec


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    spec = ServerSpec("hostile", tmp_path_factory.mktemp("broker"), mqtt=True)
    with NatsServer(spec) as started:
        yield started
