"""A log, its manager and its clock."""

import pytest
from eventservices.cns.domains.logs.attributes import LogFullAction
from eventservices.cns.domains.logs.log import Log
from eventservices.cns.domains.logs.manager import LogManager
from eventservices.cns.domains.logs.records import OVERHEAD_BYTES, packed
from eventservices.cns.etcl.utc import EPOCH_TICKS

SECOND = 10_000_000
MONDAY = EPOCH_TICKS + 4 * 24 * 3600 * SECOND  # 1970-01-05, 0 h UTC
ONE = OVERHEAD_BYTES + len(packed("x"))


class Clock:
    """Stands still until a test sets it."""

    def __init__(self) -> None:
        self.now = MONDAY

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def manager(clock: Clock) -> LogManager:
    return LogManager(clock=clock)


@pytest.fixture
def log(manager: LogManager) -> Log:
    return manager.create(LogFullAction.WRAP, 0)[0]


def own(log: Log, name: str) -> list[dict[str, object]]:
    """Return the data of a log's own events of a name."""
    found = [event for event in log.own_events if event.event_type.type_name == name]
    return [dict(event.filterable_data) for event in found]


def own_types(log: Log, name: str) -> list[object]:
    """Return the numbers of a log's own events of a name."""
    return [each["type"] for each in own(log, name)]
