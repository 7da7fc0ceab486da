"""What a channel keeps of its own accord is persistent in the federation, too."""

from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from eventservices.cns import (
    ClientType,
    Connection,
    QoS,
    Reliability,
    StructuredEvent,
    structured_event,
)
from eventservices.servers import NatsServer, ServerSpec
from eventservices.stamp import Stamp
from fes.testing.eventually import eventually
from support.gateways.kept import FEDERATION
from support.processes.packs import running

pytestmark = pytest.mark.broker

CHANNEL: dict[str, object] = {
    QoS.EVENT_RELIABILITY: Reliability.PERSISTENT,
    QoS.CONNECTION_RELIABILITY: Reliability.PERSISTENT,
}


class Accounts:
    """A native client that keeps what it is given."""

    def __init__(self) -> None:
        self.events: list[StructuredEvent] = []

    def push_structured_event(self, event: StructuredEvent, stamp: Stamp | None) -> None:
        self.events.append(event)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[NatsServer]:
    with NatsServer(ServerSpec("kept-store", tmp_path / "broker", jetstream=True)) as started:
        yield started


async def test_an_event_that_only_its_channel_calls_persistent_crosses_as_one(
    store: NatsServer, tmp_path: Path
) -> None:
    accounts = Accounts()
    async with running(tmp_path, FEDERATION % store.url) as federation, AsyncExitStack() as stack:
        connection = await stack.enter_async_context(Connection(store.url, name="native"))
        north = await connection.open_channel("north", qos=CHANNEL)
        south = await connection.open_channel("south", qos=CHANNEL)
        supplier = south.default_consumer_admin.obtain_notification_push_supplier(
            ClientType.STRUCTURED_EVENT
        )
        await supplier.subscription_change([("*", "Trip")], [])
        await supplier.connect_structured_push_consumer(accounts, durable="accounts")
        applied = federation.pack.hosts["g"].core.applied
        await eventually(lambda: [one.state for one in applied("north")] == ["applied"])
        consumer = north.default_supplier_admin.obtain_notification_push_consumer(
            ClientType.STRUCTURED_EVENT
        )
        await consumer.connect_structured_push_supplier(origin="native")

        await consumer.push_structured_event(structured_event(("", "Trip")))
        await eventually(lambda: accounts.events)
        await eventually(lambda: not len(federation.pack.hosts["g"].core.delivery.custody))

    [event] = accounts.events
    assert event.header.variable_header == {"EventReliability": 1}
