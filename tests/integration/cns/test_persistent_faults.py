"""Persistent events and what may happen to brokers, clients, streams and consumers."""

import asyncio

import pytest
from eventservices.cns import Connection, EventChannel, StructuredEvent
from eventservices.cns.persistent.store import Store
from eventservices.servers import NatsServer
from eventservices.stamp import Stamp
from integration.cns.clients import structured_supplier
from integration.cns.conftest import Connect, Eventually
from integration.cns.stored import (
    Numbers,
    durable_consumer,
    durable_puller,
    numbered,
    opened,
    push,
)

pytestmark = pytest.mark.broker


@pytest.fixture
async def connection(connect: Connect, store_server: NatsServer) -> Connection:
    return await connect(url=store_server.url)


def store_of(channel: EventChannel) -> Store:
    return channel._core.store


async def die(connection: Connection) -> None:
    """Break all connections of a client at once, and let it do nothing more."""
    keeper = connection._storage.keeper
    assert keeper._running is not None
    session = keeper.present
    assert session is not None
    session.client.abort()
    keeper._running.cancel()
    await asyncio.gather(keeper._running, return_exceptions=True)
    await connection.close()


async def test_events_survive_the_broker_and_both_clients(mortal_server: NatsServer) -> None:
    async with Connection(mortal_server.url) as away:
        await durable_puller(await opened(away, "channel"))
    async with Connection(mortal_server.url) as supplying:
        await push(await opened(supplying, "channel"), *range(100))
    pid = mortal_server.pid
    mortal_server.kill()
    assert mortal_server.status == -9
    mortal_server.start()
    assert mortal_server.pid not in {None, pid}

    async with Connection(mortal_server.url) as again, asyncio.timeout(20):
        pulling = await durable_puller(await opened(again, "channel"))
        got = [(await pulling.pull_structured_event()).event_name for _ in range(100)]

    assert got == [str(number) for number in range(100)]


async def test_what_a_client_had_in_hand_when_it_closed_comes_first_and_at_once(
    connection: Connection, store_server: NatsServer, channel_name: str, eventually: Eventually
) -> None:
    consumer = Numbers()
    async with Connection(store_server.url) as first:
        proxy = await durable_consumer(await opened(first, channel_name), consumer)
        proxy.suspend_connection()
        await push(await opened(connection, channel_name), *range(500))
        await eventually(lambda: proxy.pending >= 200)

    async with asyncio.timeout(10):
        await durable_consumer(connection.channels[0], consumer)
        await eventually(lambda: len(consumer.got) >= 500)

    assert consumer.got == list(range(500))


async def test_what_a_client_had_in_hand_when_it_died_comes_first_and_at_once(
    connection: Connection, store_server: NatsServer, channel_name: str, eventually: Eventually
) -> None:
    class Slow(Numbers):
        def push_structured_event(self, event: StructuredEvent, stamp: object) -> None:
            super().push_structured_event(event, stamp)
            if len(self.got) == 50:
                proxy.suspend_connection()

    consumer = Slow()
    first = await Connection(store_server.url).open()
    proxy = await durable_consumer(await opened(first, channel_name), consumer)
    await push(await opened(connection, channel_name), *range(500))
    await eventually(lambda: proxy.pending >= 200)
    await die(first)
    assert consumer.got == list(range(50))
    rest = Numbers()

    async with asyncio.timeout(10):
        await durable_consumer(connection.channels[0], rest)
        await eventually(lambda: rest.got[-1:] == [499])

    again = set(rest.got) & set(range(50))  # acknowledgements that were not sent any more
    assert rest.got == [*sorted(again), *range(50, 500)]


async def test_events_that_the_broker_gives_again_in_another_order_come_in_theirs(
    connection: Connection, store_server: NatsServer, channel_name: str, eventually: Eventually
) -> None:
    channel = await opened(connection, channel_name)
    first = await Connection(store_server.url).open()
    proxy = await durable_consumer(await opened(first, channel_name), Numbers())
    proxy.suspend_connection()
    await push(channel, *range(10))
    await eventually(lambda: proxy.pending == 10)
    replies = [held.reply for held in proxy._durable._hand.held.values()]  # type: ignore[union-attr] # it is connected
    await die(first)
    session = await connection._storage.keeper.session()
    for place in (7, 3):  # as when their time is over before that of the others
        await session.client.request(replies[place], b"-NAK", timeout=2)
    consumer = Numbers()

    await durable_consumer(channel, consumer)

    await eventually(lambda: len(consumer.got) == 10)
    assert consumer.got == list(range(10))


async def test_a_consumer_that_was_deleted_is_made_again_and_told_of(
    connection: Connection, channel_name: str, eventually: Eventually
) -> None:
    channel, consumer = await opened(connection, channel_name), Numbers()
    proxy = await durable_consumer(channel, consumer)
    await durable_puller(channel, "slow")  # for whom everything is kept
    await push(channel, 1)
    await eventually(lambda: consumer.got == [1])
    session = await connection._storage.keeper.session()

    await session.jetstream.delete_consumer(store_of(channel)._stream, "display")
    await push(channel, 2)

    durable = proxy._durable
    assert durable is not None
    await eventually(lambda: durable.remade == 1)
    await push(channel, 3)
    await eventually(lambda: consumer.got == [1, 2, 3])


async def test_a_stream_that_was_deleted_is_made_again(
    connection: Connection, channel_name: str, eventually: Eventually
) -> None:
    channel, consumer = await opened(connection, channel_name), Numbers()
    proxy = await durable_consumer(channel, consumer)
    supplying = await structured_supplier(channel)
    for number in range(20):
        await supplying.push_structured_event(numbered(number))
    await eventually(lambda: consumer.got == list(range(20)))
    session = await connection._storage.keeper.session()

    await session.jetstream.delete_stream(store_of(channel)._stream)
    async with asyncio.timeout(10):
        await supplying.push_structured_event(numbered(20))
    durable = proxy._durable
    assert durable is not None
    await eventually(lambda: durable.remade >= 1)
    # What was published before the consumer was made again found nobody who waited for it.
    for number in range(21, 26):
        await supplying.push_structured_event(numbered(number))

    await eventually(lambda: consumer.got[-1:] == [25])
    assert [number for number in consumer.got[20:] if number != 20] == [21, 22, 23, 24, 25]


async def test_one_who_only_publishes_makes_a_lost_stream_again(
    connection: Connection, channel_name: str
) -> None:
    channel = await opened(connection, channel_name)
    supplying = await structured_supplier(channel)
    await supplying.push_structured_event(numbered(0))
    session = await connection._storage.keeper.session()

    await session.jetstream.delete_stream(store_of(channel)._stream)

    async with asyncio.timeout(10):
        await supplying.push_structured_event(numbered(1))
    assert connection._storage.keeper.breaks >= 1


async def test_a_message_that_is_no_event_is_set_aside_and_the_next_is_given(
    connection: Connection, channel_name: str, eventually: Eventually
) -> None:
    channel, consumer = await opened(connection, channel_name), Numbers()
    await durable_consumer(channel, consumer)
    session = await connection._storage.keeper.session()

    await session.jetstream.publish(store_of(channel)._subject, b"\xff no event")
    await push(channel, 1)

    await eventually(lambda: consumer.got == [1])
    assert channel.malformed == 1


async def test_foreign_events_without_a_stamp_are_given_too(
    connection: Connection, channel_name: str, eventually: Eventually
) -> None:
    stamps: list[Stamp | None] = []

    class Looks:
        def push_structured_event(self, _event: StructuredEvent, stamp: Stamp | None) -> None:
            stamps.append(stamp)

    channel = await opened(connection, channel_name)
    await durable_consumer(channel, Looks())
    session = await connection._storage.keeper.session()
    for _ in range(2):
        await session.jetstream.publish(store_of(channel)._subject, b"\x92\x01\x05")

    await eventually(lambda: stamps == [None, None])


async def test_a_broken_connection_to_the_store_is_built_anew(
    connection: Connection, channel_name: str, eventually: Eventually
) -> None:
    channel, consumer = await opened(connection, channel_name), Numbers()
    proxy = await durable_consumer(channel, consumer)
    supplying = await structured_supplier(channel)
    for number in range(200):
        await supplying.push_structured_event(numbered(number))
        if number % 50 == 25:
            session = await connection._storage.keeper.session()
            session.fail("on purpose")

    await eventually(lambda: len(consumer.got) == 200)
    assert consumer.got == list(range(200))
    assert connection._storage.keeper.breaks >= 3
    assert proxy.failed == 0
