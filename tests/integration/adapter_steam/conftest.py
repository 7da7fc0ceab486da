from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from eventservices.servers import NatsServer, ServerSpec
from integration.adapter_steam.onair import OnAir


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with NatsServer(ServerSpec("air", tmp_path_factory.mktemp("air"), mqtt=True)) as running:
        yield running


@pytest.fixture
async def on_air(server: NatsServer, tmp_path: Path) -> AsyncIterator[OnAir]:
    async with AsyncExitStack() as stack:
        made = OnAir(server, stack, tmp_path)
        await stack.enter_async_context(made.air)
        yield made
