"""An event service that never answers costs a bounded amount, at whatever rate it is spoken to."""

import pytest
from fes.adapter import AdapterRuntime
from fes.adapter.pool import ConnectionPool
from fes.errors import UnavailableError
from fes.eventlog import Decision, Record
from fes.link.end import Message
from fes.link.messages import Confirmed, Publish, PublishControl
from fes.model import Event, Stamp, binary
from fes.testing.eventually import eventually
from fes.testing.memory import MemoryAdapter, buses
from support.processes.contexts import adapter_context

ROOM = 100
BODY = binary.encode(Event.of("Speed", rate=1.0))


class Unreachable(MemoryAdapter):
    """Connects only once it may; counts how often it tried."""

    reachable = False
    tries = 0

    async def _open(self) -> None:
        self.tries += 1
        if not self.reachable:
            raise UnavailableError("nobody answers")
        await super()._open()


class Gateway:
    """The other end of the link, and the event log."""

    counters: dict[str, int] = {}  # noqa: RUF012 - nothing is counted

    def __init__(self) -> None:
        self.confirmed: list[Confirmed] = []
        self.log: list[Record] = []

    def send(self, message: Message) -> bool:
        if isinstance(message, Confirmed):
            self.confirmed.append(message)
        return True

    async def close(self) -> None:
        """Nothing is to be closed."""

    def wants(self, identity: str) -> bool:
        return True

    def write(self, record: Record) -> None:
        self.log.append(record)


def event(number: int, row: int = 0) -> Publish:
    return Publish(Stamp("car", 1, number, 5, "home"), (), 0, BODY, 0, row)


@pytest.fixture
def adapter(request: pytest.FixtureRequest) -> Unreachable:
    name = request.node.name
    made = Unreachable(adapter_context("g", name, MemoryAdapter, ConnectionPool()))
    buses[name].announced["Speed"] = 1
    return made


async def test_events_for_a_service_that_never_answered_are_bounded_and_counted(
    adapter: Unreachable,
) -> None:
    """It counts from the first moment: nobody has to have been there once."""
    gateway = Gateway()
    runtime = AdapterRuntime(adapter, gateway, queue=ROOM)
    runtime.attach(gateway)
    heard: list[object] = []
    buses[adapter.context.service].listen(heard.append)
    async with runtime:
        await eventually(lambda: adapter.tries)
        for number in range(1, 5001):
            runtime.receive(event(number))
        for _ in range(500):
            runtime.receive(PublishControl(BODY))
        await eventually(lambda: adapter.tries > 1, what="it tries again")

        assert len(runtime._orders) == 2 * ROOM
        assert runtime.counted().counters["queue_dropped"] == 5500 - 2 * ROOM
        told = [each for each in gateway.log if each.decision is Decision.DROPPED]
        assert {each.reason for each in told} == {"adapter queue full"}
        assert (runtime.ready, runtime.reason) == (False, "nobody answers")

        adapter.reachable = True
        await eventually(lambda: len(heard) == 2 * ROOM, 20.0, "what waited")


async def test_persistent_events_are_given_back_to_the_gateway_that_keeps_them(
    adapter: Unreachable,
) -> None:
    gateway = Gateway()
    runtime = AdapterRuntime(adapter, gateway, queue=ROOM)
    runtime.attach(gateway)
    async with runtime:
        for number in range(1, 301):
            runtime.receive(event(number, row=number))

        assert len(gateway.confirmed) == 300 - ROOM
        assert all(each.error and each.retryable for each in gateway.confirmed)
        assert [each.row for each in gateway.confirmed] == [*range(ROOM + 1, 301)]
