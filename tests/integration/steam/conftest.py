import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from eventservices.steam import Air, AirSettings
from integration.steam.brokers import MAKERS, Broker

Eventually = Callable[[Callable[[], bool]], Awaitable[None]]
_numbers = count(1)


@pytest.fixture(scope="session", params=MAKERS)
def kind(request: pytest.FixtureRequest) -> str:
    """Name the broker that a test runs on; each test runs on every one that is installed."""
    return str(request.param)


@pytest.fixture(scope="session")
def broker(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    server = MAKERS[kind]("air", tmp_path_factory.mktemp("air"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def own_broker(kind: str, tmp_path: Path) -> Iterator[Broker]:
    """Start a broker for one test alone, which may kill it and start it again."""
    server = MAKERS[kind]("own", tmp_path)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def settings(broker: Broker) -> AirSettings:
    return AirSettings(broker.mqtt_url, f"air {next(_numbers)}", beacon_period_s=0.2)


@pytest.fixture
async def air(settings: AirSettings) -> AsyncIterator[Air]:
    async with Air(settings) as opened:
        yield opened


@pytest.fixture
def eventually() -> Eventually:
    async def wait(condition: Callable[[], bool], deadline_s: float = 30.0) -> None:
        end_s = asyncio.get_running_loop().time() + deadline_s
        while not condition():
            assert asyncio.get_running_loop().time() < end_s, "it did not come true in time"
            await asyncio.sleep(0.005)

    return wait
