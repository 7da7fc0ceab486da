"""Consumers that pull: blocking and not, single events and batches."""

import asyncio

import pytest
from eventservices.cns import ClientType, Connection, EventChannel, structured_event
from eventservices.cns.errors import AlreadyConnectedError, DisconnectedError
from eventservices.errors import MalformedError
from integration.cns.clients import (
    any_puller,
    any_supplier,
    drained,
    named,
    sequence_puller,
    structured_puller,
    structured_supplier,
)
from integration.cns.conftest import Connect

pytestmark = pytest.mark.broker


@pytest.fixture
async def connection(connect: Connect) -> Connection:
    return await connect()


@pytest.fixture
async def channel(connection: Connection, channel_name: str) -> EventChannel:
    return await connection.open_channel(channel_name)


async def test_a_pull_returns_when_there_is_an_event(channel: EventChannel) -> None:
    pulling = await any_puller(channel)
    waiting = asyncio.create_task(pulling.pull())
    await asyncio.sleep(0)
    assert not waiting.done()

    stamp = await (await any_supplier(channel)).push("here")

    assert await asyncio.wait_for(waiting, 30) == "here"
    assert pulling.last_stamp == stamp
    assert pulling.delivered == 1


async def test_a_try_returns_at_once(connection: Connection, channel: EventChannel) -> None:
    anys, structureds = await any_puller(channel), await structured_puller(channel)

    assert anys.try_pull() == (None, False)
    empty, there = structureds.try_pull_structured_event()
    assert (empty, there) == (structured_event(("", "")), False)

    await (await structured_supplier(channel)).push_structured_event(named("a"))
    await connection.probe()

    assert anys.try_pull() == (named("a"), True)
    assert structureds.try_pull_structured_event() == (named("a"), True)
    assert anys.try_pull() == (None, False)


async def test_each_of_several_waiting_pulls_gets_one_event(channel: EventChannel) -> None:
    pulling = await any_puller(channel)
    waiting = [asyncio.create_task(pulling.pull()) for _ in range(5)]
    supplying = await any_supplier(channel)

    for number in range(5):
        await supplying.push(number)

    got = await asyncio.wait_for(asyncio.gather(*waiting), 30)
    assert sorted(got, key=str) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("batch", "asked", "sizes"),
    [(1, 10, [1] * 7), (5, 3, [3, 3, 1]), (4, 10, [4, 3]), (10, 7, [7]), (100, 50, [7])],
)
async def test_a_batch_is_as_large_as_asked_and_as_the_property_allows(
    connection: Connection, channel: EventChannel, batch: int, asked: int, sizes: list[int]
) -> None:
    pulling = await sequence_puller(channel, MaximumBatchSize=batch)
    supplying = await structured_supplier(channel)
    for number in range(7):
        await supplying.push_structured_event(named(str(number)))
    await connection.probe()

    batches = [await pulling.pull_structured_events(asked) for _ in sizes]

    assert [len(got) for got in batches] == sizes
    assert [event.event_name for got in batches for event in got] == list("0123456")
    assert pulling.try_pull_structured_events(asked) == ([], False)


async def test_a_batch_of_nothing_is_refused(channel: EventChannel) -> None:
    pulling = await sequence_puller(channel)

    with pytest.raises(MalformedError):
        await pulling.pull_structured_events(0)
    with pytest.raises(MalformedError):
        pulling.try_pull_structured_events(-1)


async def test_events_are_pulled_in_the_order_of_their_priority(
    connection: Connection, channel: EventChannel
) -> None:
    pulling = await structured_puller(channel)
    supplying = await structured_supplier(channel)
    for name, priority in (("a", 0), ("b", 5), ("c", -5), ("d", 5), ("e", 0)):
        await supplying.push_structured_event(named(name, Priority=priority))
    await connection.probe()

    assert drained(pulling) == ["b", "d", "a", "e", "c"]


async def test_one_may_iterate_over_what_comes(channel: EventChannel) -> None:
    pulling = await any_puller(channel)
    supplying = await any_supplier(channel)
    sent = [(number, await supplying.push(number)) for number in range(3)]

    got = []
    async for event, stamp in pulling:
        got.append((event, stamp))
        if len(got) == 3:
            await pulling.disconnect_pull_supplier()

    assert got == sent


async def test_who_is_not_connected_pulls_nothing(channel: EventChannel) -> None:
    admin = channel.default_consumer_admin
    anys = admin.obtain_notification_pull_supplier(ClientType.ANY_EVENT)
    sequences = admin.obtain_notification_pull_supplier(ClientType.SEQUENCE_EVENT)

    with pytest.raises(DisconnectedError):
        await anys.pull()
    with pytest.raises(DisconnectedError):
        anys.try_pull()
    with pytest.raises(DisconnectedError):
        await sequences.pull_structured_events(1)
    await anys.connect_any_pull_consumer()
    with pytest.raises(AlreadyConnectedError):
        await anys.connect_any_pull_consumer()
    await anys.disconnect_pull_supplier()
    with pytest.raises(DisconnectedError):
        anys.try_pull()


async def test_a_disconnection_ends_a_pull_that_waits(channel: EventChannel) -> None:
    pulling = await any_puller(channel)
    waiting = asyncio.create_task(pulling.pull())
    await asyncio.sleep(0)

    await pulling.disconnect_pull_supplier()

    with pytest.raises(DisconnectedError):
        await asyncio.wait_for(waiting, 30)


async def test_a_consumer_that_pulls_learns_that_the_channel_went(channel: EventChannel) -> None:
    class Consumer:
        gone = 0

        def disconnect_pull_consumer(self) -> None:
            self.gone += 1

    consumer = Consumer()
    admin = channel.default_consumer_admin
    async with admin.obtain_notification_pull_supplier(ClientType.STRUCTURED_EVENT) as proxy:
        await proxy.connect_structured_pull_consumer(consumer)

    assert consumer.gone == 1
    assert admin.pull_suppliers == ()


async def test_proxies_are_listed_by_how_their_clients_take_events(channel: EventChannel) -> None:
    consumers, suppliers = channel.new_for_consumers(), channel.new_for_suppliers()
    pull = consumers.obtain_notification_pull_supplier(ClientType.ANY_EVENT)
    push = consumers.obtain_notification_push_supplier(ClientType.SEQUENCE_EVENT)
    pulled = suppliers.obtain_notification_pull_consumer(ClientType.STRUCTURED_EVENT)
    pushed = suppliers.obtain_notification_push_consumer(ClientType.ANY_EVENT)

    assert (consumers.pull_suppliers, consumers.push_suppliers) == ((pull.my_id,), (push.my_id,))
    assert (suppliers.pull_consumers, suppliers.push_consumers) == (
        (pulled.my_id,),
        (pushed.my_id,),
    )
    kinds = [proxy.my_type.name for proxy in (pull, push, pulled, pushed)]
    assert kinds == ["PULL_ANY", "PUSH_SEQUENCE", "PULL_STRUCTURED", "PUSH_ANY"]
