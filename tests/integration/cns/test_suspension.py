"""Connections that are suspended and resumed."""

import pytest
from eventservices.cns import ClientType, Connection, EventChannel, StructuredEvent
from eventservices.cns.errors import (
    ConnectionAlreadyActiveError,
    ConnectionAlreadyInactiveError,
    DisconnectedError,
    ProxyNotConnectedError,
)
from eventservices.stamp import Stamp
from integration.cns.clients import (
    Anys,
    Batches,
    any_consumer,
    any_supplier,
    named,
    sequence_consumer,
    structured_consumer,
    structured_supplier,
)
from integration.cns.conftest import Connect, Eventually

pytestmark = pytest.mark.broker


@pytest.fixture
async def connection(connect: Connect) -> Connection:
    return await connect()


@pytest.fixture
async def channel(connection: Connection, channel_name: str) -> EventChannel:
    return await connection.open_channel(channel_name)


async def test_events_wait_while_the_connection_is_suspended(
    connection: Connection, channel: EventChannel
) -> None:
    consumer = Anys()
    proxy = await any_consumer(channel, consumer)
    supplying = await any_supplier(channel)

    await supplying.push("before")
    await connection.probe()
    proxy.suspend_connection()
    for number in range(5):
        await supplying.push(number)
    await connection.probe()

    assert consumer.values == ["before"]
    assert (proxy.pending, channel.waiting) == (5, 5)
    proxy.resume_connection()
    assert consumer.values == ["before", 0, 1, 2, 3, 4]
    await supplying.push("after")
    await connection.probe()
    assert consumer.values[-1] == "after"
    assert (proxy.pending, channel.waiting) == (0, 0)


async def test_more_than_a_burst_is_given_in_order_when_resumed(
    connection: Connection, channel: EventChannel, eventually: Eventually
) -> None:
    consumer = Anys()
    proxy = await any_consumer(channel, consumer)
    supplying = await any_supplier(channel)
    proxy.suspend_connection()
    for number in range(2000):
        await supplying.push(number)
    await connection.probe()

    proxy.resume_connection()
    await supplying.push("last")

    await eventually(lambda: len(consumer.got) == 2001)
    assert consumer.values == [*range(2000), "last"]


async def test_a_consumer_may_suspend_itself(connection: Connection, channel: EventChannel) -> None:
    class Slow(Anys):
        def push(self, value: object, stamp: Stamp | None) -> None:
            super().push(value, stamp)  # type: ignore[arg-type] # a value all the same
            proxy.suspend_connection()

    consumer = Slow()
    proxy = await any_consumer(channel, consumer)
    supplying = await any_supplier(channel)
    for number in range(3):
        await supplying.push(number)
    await connection.probe()

    assert consumer.values == [0]
    proxy.resume_connection()
    assert consumer.values == [0, 1]


async def test_a_suspended_batch_consumer_gets_its_batches_later(
    connection: Connection, channel: EventChannel
) -> None:
    consumer = Batches()
    proxy = await sequence_consumer(channel, consumer, MaximumBatchSize=2)
    proxy.suspend_connection()
    supplying = await structured_supplier(channel)
    for name in "abcde":
        await supplying.push_structured_event(named(name))
    await connection.probe()

    assert consumer.got == []
    proxy.resume_connection()

    assert consumer.names == [["a", "b"], ["c", "d"]]


async def test_suspending_twice_and_resuming_what_runs_are_errors(channel: EventChannel) -> None:
    admin = channel.default_consumer_admin
    proxy = admin.obtain_notification_push_supplier(ClientType.ANY_EVENT)
    with pytest.raises(ProxyNotConnectedError):
        proxy.suspend_connection()
    with pytest.raises(ProxyNotConnectedError):
        proxy.resume_connection()
    await proxy.connect_any_push_consumer(Anys())

    with pytest.raises(ConnectionAlreadyActiveError):
        proxy.resume_connection()
    proxy.suspend_connection()
    with pytest.raises(ConnectionAlreadyInactiveError):
        proxy.suspend_connection()


async def test_what_waits_when_the_consumer_leaves_is_counted(
    connection: Connection, channel: EventChannel
) -> None:
    proxy = await any_consumer(channel, Anys())
    proxy.suspend_connection()
    await (await any_supplier(channel)).push(1)
    await connection.probe()

    await proxy.disconnect_push_supplier()

    assert (proxy.discarded, channel.waiting) == (1, 0)


@pytest.mark.parametrize("suspended", [False, True])
async def test_a_consumer_that_is_gone_is_disconnected(
    connection: Connection, channel: EventChannel, eventually: Eventually, *, suspended: bool
) -> None:
    class Gone:
        def push_structured_event(self, _event: StructuredEvent, _stamp: Stamp | None) -> None:
            raise DisconnectedError("on purpose")

    proxy = await structured_consumer(channel, Gone())
    if suspended:
        proxy.suspend_connection()
    supplying = await structured_supplier(channel)
    await supplying.push_structured_event(named("a"))
    await supplying.push_structured_event(named("b"))
    await connection.probe()
    if suspended:
        proxy.resume_connection()

    await eventually(lambda: not channel.default_consumer_admin.push_suppliers)
    assert not proxy.connected
