import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from itertools import count

import pytest
from eventservices.servers import NatsServer, ServerSpec
from eventservices.steam import Air, AirSettings

Eventually = Callable[[Callable[[], bool]], Awaitable[None]]
_numbers = count(1)


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with NatsServer(ServerSpec("air", tmp_path_factory.mktemp("air"), mqtt=True)) as server:
        yield server


@pytest.fixture
def settings(broker: NatsServer) -> AirSettings:
    return AirSettings(broker.mqtt_url, f"air {next(_numbers)}", beacon_period_s=0.2)


@pytest.fixture
async def air(settings: AirSettings) -> AsyncIterator[Air]:
    async with Air(settings) as opened:
        yield opened


@pytest.fixture
def eventually() -> Eventually:
    async def wait(condition: Callable[[], bool], deadline_s: float = 10.0) -> None:
        end_s = asyncio.get_running_loop().time() + deadline_s
        while not condition():
            assert asyncio.get_running_loop().time() < end_s, "it did not come true in time"
            await asyncio.sleep(0.005)

    return wait
