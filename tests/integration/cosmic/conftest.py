from collections.abc import AsyncIterator

import pytest
from eventservices.cosmic import Broker, Bus
from support.processes.canbus import virtual


@pytest.fixture
async def bus() -> AsyncIterator[Bus]:
    """A bus on which frames take no time, with a broker."""
    async with Bus(virtual()) as opened:
        Broker(opened)
        yield opened
