"""Persistent events: kept for every consumer until it has had them."""

import asyncio
import time

import pytest
from eventservices.cns import (
    Connection,
    ErrorCode,
    UnsupportedQoSError,
)
from eventservices.servers import NatsServer
from integration.cns.clients import (
    Anys,
    Structureds,
    any_consumer,
    drained,
    named,
    structured_consumer,
    structured_supplier,
)
from integration.cns.clock import ticks
from integration.cns.conftest import Connect, Eventually
from integration.cns.stored import (
    PERSISTENT,
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


async def test_a_persistent_event_reaches_consumers_of_either_kind(
    connection: Connection, connect: Connect, store_server: NatsServer, channel_name: str,
    eventually: Eventually,
) -> None:  # fmt: skip
    channel = await opened(connection, channel_name)
    other = await (await connect(url=store_server.url)).open_channel(channel_name)
    durable, lasting, plain = Numbers(), Numbers(), Anys()
    await durable_consumer(channel, durable)
    await structured_consumer(channel, lasting)
    await any_consumer(other, plain)

    await push(channel, *range(300))

    await eventually(lambda: len(durable.got) == len(lasting.got) == len(plain.got) == 300)
    assert durable.got == lasting.got == list(range(300))
    assert plain.values == list(map(numbered, range(300)))


async def test_events_wait_for_a_consumer_that_is_away(
    connection: Connection, connect: Connect, store_server: NatsServer, channel_name: str,
    eventually: Eventually,
) -> None:  # fmt: skip
    consumer = Numbers()
    async with Connection(store_server.url) as away:
        await durable_consumer(await opened(away, channel_name), consumer)
        await push(await opened(connection, channel_name), 0, 1)
        await eventually(lambda: consumer.got == [0, 1])
    await push(connection.channels[0], *range(2, 500))
    again = await connect(url=store_server.url)

    await durable_consumer(await opened(again, channel_name), consumer)

    await eventually(lambda: len(consumer.got) == 500)
    assert consumer.got == list(range(500))


async def test_one_who_pulls_goes_on_where_it_was(
    connection: Connection, store_server: NatsServer, channel_name: str
) -> None:
    channel, got = await opened(connection, channel_name), []
    async with Connection(store_server.url) as first:
        await durable_puller(await opened(first, channel_name))
    await push(channel, *range(20))
    for _ in range(4):
        async with Connection(store_server.url) as again, asyncio.timeout(10):
            pulling = await durable_puller(await opened(again, channel_name))
            got += [(await pulling.pull_structured_event()).event_name for _ in range(5)]

    assert got == [str(number) for number in range(20)]


async def test_who_disconnects_is_forgotten_and_begins_anew(
    connection: Connection, channel_name: str, eventually: Eventually
) -> None:
    channel, consumer = await opened(connection, channel_name), Numbers()
    proxy = await durable_consumer(channel, consumer)
    await proxy.disconnect_structured_push_supplier()
    await push(channel, 1)

    await durable_consumer(channel, consumer)
    await push(channel, 2)

    await eventually(lambda: consumer.got)
    assert consumer.got == [2]


async def test_events_are_not_kept_where_nobody_waits_for_them(
    connection: Connection, channel_name: str
) -> None:
    channel = await opened(connection, channel_name)
    await push(channel, *range(5))

    session = await connection._storage.keeper.session()
    info = await session.jetstream.stream_info(channel._core.store._stream)

    assert info.state.messages == 0


async def test_an_events_header_says_whether_it_is_persistent(
    connection: Connection, store_server: NatsServer, channel_name: str
) -> None:
    channel = await connection.open_channel(channel_name, qos={"ConnectionReliability": 1})
    async with Connection(store_server.url) as away:
        await durable_puller(await opened(away, channel_name))
    supplying = await structured_supplier(channel)
    await supplying.push_structured_event(named("best effort"))
    await supplying.push_structured_event(named("kept", EventReliability=1))
    channel.set_qos(PERSISTENT)
    await supplying.push_structured_event(named("not kept", EventReliability=0))
    await supplying.push_structured_event(named("kept too"))

    pulling = await durable_puller(await opened(connection, channel_name))
    async with asyncio.timeout(10):
        got = [await pulling.pull_structured_event() for _ in range(2)]

    assert [event.event_name for event in got] == ["kept", "kept too"]
    assert drained(pulling) == []


async def test_over_a_best_effort_connection_events_are_degraded_and_counted(
    connection: Connection, channel_name: str, eventually: Eventually
) -> None:
    channel, consumer = await connection.open_channel(channel_name), Structureds()
    await structured_consumer(channel, consumer)
    supplying = await structured_supplier(channel)

    await supplying.push_structured_event(named("a", EventReliability=1))

    await eventually(lambda: consumer.got)
    assert supplying.degraded == 1


async def test_a_connection_stays_as_reliable_as_it_was_made(
    connection: Connection, channel_name: str
) -> None:
    proxy = await structured_consumer(await opened(connection, channel_name), Numbers())

    with pytest.raises(UnsupportedQoSError) as caught:
        proxy.set_qos({"ConnectionReliability": 0})

    assert [error.code for error in caught.value.qos_err] == [ErrorCode.UNAVAILABLE_PROPERTY]
    proxy.set_qos({"ConnectionReliability": 1, "Priority": 5})


async def test_an_identity_is_stored_once(
    connection: Connection, channel_name: str, eventually: Eventually
) -> None:
    channel, consumer = await opened(connection, channel_name), Numbers()
    proxy = await durable_consumer(channel, consumer)
    supplying = await structured_supplier(channel)

    stamp = await supplying.push_structured_event(numbered(1))
    for _ in range(3):
        await supplying.push_structured_event(numbered(1), stamp=stamp)
    await supplying.push_structured_event(numbered(2))

    await eventually(lambda: consumer.got == [1, 2])
    assert proxy.suppressed == 0


def in_a_minute() -> int:
    return time.time_ns() // 1000 + 60_000_000


async def test_time_counts_from_when_the_channel_had_the_event(
    connect: Connect, store_server: NatsServer, connection: Connection, channel_name: str,
    eventually: Eventually,
) -> None:  # fmt: skip
    async with Connection(store_server.url) as away:
        await durable_puller(await opened(away, channel_name))
    supplying = await structured_supplier(await opened(connection, channel_name))
    await supplying.push_structured_event(named("short", Timeout=ticks(30)))
    await supplying.push_structured_event(named("long", Timeout=ticks(3600)))
    later = await connect(url=store_server.url, clock_us=in_a_minute)
    channel = await opened(later, channel_name)
    channel.default_consumer_admin.set_qos({"StopTimeSupported": True})

    pulling = await durable_puller(channel)

    async with asyncio.timeout(10):
        assert (await pulling.pull_structured_event()).event_name == "long"
    assert pulling.expired == 1


async def test_a_destroyed_channel_keeps_nothing(
    connection: Connection, store_server: NatsServer, channel_name: str
) -> None:
    async with Connection(store_server.url) as away:
        await durable_puller(await opened(away, channel_name))
    channel = await opened(connection, channel_name)
    await push(channel, 1, 2)

    await channel.destroy()

    channel = await opened(connection, channel_name)
    pulling = await durable_puller(channel)
    await push(channel, 3)
    async with asyncio.timeout(10):
        assert (await pulling.pull_structured_event()).event_name == "3"
