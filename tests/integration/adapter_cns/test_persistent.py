"""Persistent events: the channel keeps them until the gateway has answered for them."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from eventservices.cns import (
    ClientType,
    Connection,
    EventChannel,
    QoS,
    Reliability,
    StructuredEvent,
    structured_event,
)
from eventservices.servers import NatsServer, ServerSpec
from eventservices.stamp import Stamp
from fes.adapter.context import Subscription
from fes.filter import Filter
from fes.testing.eventually import eventually
from integration.adapter_cns.conftest import MakeAdapter
from integration.adapter_cns.natives import Sink, subscribe
from support.gateways.kept import FEDERATION
from support.processes.packs import running

pytestmark = pytest.mark.broker

KEEP: dict[str, object] = {QoS.CONNECTION_RELIABILITY: Reliability.PERSISTENT}


def trip(number: int, *, persistent: bool = True) -> StructuredEvent:
    header = {"EventReliability": int(persistent)}
    return structured_event(
        ("", "Trip"), filterable_data={"number": number}, variable_header=header
    )


def numbers(sink: Sink) -> list[int]:
    return [native.parameters[0].value for native, _ in sink.natives]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    folder = tmp_path_factory.mktemp("store")
    with NatsServer(ServerSpec("adapter-store", folder, jetstream=True)) as started:
        yield started


@pytest.fixture
async def kept(store: NatsServer, service: str) -> AsyncIterator[EventChannel]:
    async with AsyncExitStack() as stack:
        connection = await stack.enter_async_context(Connection(store.url, name="native"))
        yield await connection.open_channel(service, qos=KEEP)


async def push(channel: EventChannel, *events: StructuredEvent) -> None:
    """Have a native supplier push events, and wait until they are stored."""
    admin = channel.default_supplier_admin
    proxy = admin.obtain_notification_push_consumer(ClientType.STRUCTURED_EVENT)
    await proxy.connect_structured_push_supplier(origin="native")
    for event in events:
        await proxy.push_structured_event(event)


async def test_an_event_without_an_answer_comes_again_to_the_adapter_that_comes_back(
    make: MakeAdapter, store: NatsServer, kept: EventChannel
) -> None:
    """It is acknowledged to the channel only when the gateway has committed what it does."""
    first = make(url=store.url, persistent=True)
    assert first.capabilities.persistent
    heard = Sink()
    await first.connect(heard)
    await subscribe(first, 1, "Trip")
    await push(kept, *map(trip, range(5)))
    await eventually(lambda: numbers(heard) == [0, 1, 2, 3, 4])
    for answer in heard.answers[:2]:
        assert answer is not None
        answer(True)
    await first.disconnect()

    second, again = make(url=store.url, persistent=True), Sink()
    await second.connect(again)
    await subscribe(second, 1, "Trip")
    await eventually(lambda: numbers(again) == [2, 3, 4], 15.0)
    for answer in again.answers:
        assert answer is not None
        answer(True)
    await push(kept, trip(5))
    await eventually(lambda: numbers(again) == [2, 3, 4, 5])
    await second.unsubscribe(Subscription(1, Filter.of("Trip")))
    await second.disconnect()


async def test_an_event_that_the_gateway_did_not_take_is_delivered_again(
    make: MakeAdapter, store: NatsServer, kept: EventChannel
) -> None:
    adapter, heard = make(url=store.url, persistent=True), Sink()
    await adapter.connect(heard)
    await subscribe(adapter, 1, "Trip")
    await push(kept, trip(1))
    await eventually(lambda: heard.answers)
    assert heard.answers[0] is not None
    heard.answers[0](False)
    await eventually(lambda: numbers(heard) == [1, 1])
    await adapter.disconnect()


async def test_what_is_not_persistent_needs_no_answer(
    make: MakeAdapter, store: NatsServer, kept: EventChannel
) -> None:
    adapter, heard = make(url=store.url, persistent=True), Sink()
    await adapter.connect(heard)
    await subscribe(adapter, 1, "Trip")
    await push(kept, trip(1, persistent=False))
    await eventually(lambda: numbers(heard) == [1])
    assert heard.answers == [None]
    await adapter.disconnect()


async def test_an_adapter_of_a_channel_that_keeps_nothing_says_so(make: MakeAdapter) -> None:
    assert not make().capabilities.persistent


async def test_persistent_events_cross_a_federation_in_order_none_lost_none_doubled(
    store: NatsServer, tmp_path: Path
) -> None:
    class Accounts:
        def __init__(self) -> None:
            self.trips: list[object] = []

        def push_structured_event(self, event: StructuredEvent, stamp: Stamp | None) -> None:
            assert stamp is not None
            self.trips.append(event.filterable_data["number"])

    accounts, count = Accounts(), 300
    async with running(tmp_path, FEDERATION % store.url) as federation, AsyncExitStack() as stack:
        connection = await stack.enter_async_context(Connection(store.url, name="native"))
        north = await connection.open_channel("north", qos=KEEP)
        south = await connection.open_channel("south", qos=KEEP)
        admin = south.default_consumer_admin
        proxy = admin.obtain_notification_push_supplier(ClientType.STRUCTURED_EVENT)
        await proxy.subscription_change([("*", "Trip")], [])
        await proxy.connect_structured_push_consumer(accounts, durable="accounts")
        applied = federation.pack.hosts["g"].core.applied
        await eventually(lambda: [one.state for one in applied("north")] == ["applied"])

        await push(north, *map(trip, range(count)))

        await eventually(lambda: len(accounts.trips) >= count, 20.0)
        assert accounts.trips == [*range(count)]
