"""Persistent events at their limits: full stores, large events, consumers that fail."""

import asyncio

import pytest
from eventservices.cns import (
    ChannelOptions,
    ClientType,
    Connection,
    EventChannel,
    StructuredEvent,
)
from eventservices.cns.errors import ImplLimitError
from eventservices.errors import NotConnectedError, TooLargeError
from eventservices.servers import NatsServer
from integration.cns.clients import (
    Batches,
    sequence_consumer,
    structured_supplier,
)
from integration.cns.clock import Clock
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


async def push_when_there_is_room(channel: EventChannel, number: int) -> None:
    while True:
        try:
            await push(channel, number)
        except ImplLimitError:
            await channel.my_factory.probe()
        else:
            return


async def test_a_full_store_refuses_events_until_there_is_room(
    connection: Connection, store_server: NatsServer, channel_name: str
) -> None:
    async with Connection(store_server.url) as away:
        await durable_puller(await opened(away, channel_name, MaxQueueLength=3))
    channel = await opened(connection, channel_name, MaxQueueLength=3)
    await push(channel, 1, 2, 3)

    with pytest.raises(ImplLimitError) as caught:
        await push(channel, 4)

    assert caught.value.retryable
    pulling = await durable_puller(channel)
    async with asyncio.timeout(10):
        for _ in range(3):
            await pulling.pull_structured_event()
    async with asyncio.timeout(10):
        await push_when_there_is_room(channel, 5)
        assert (await pulling.pull_structured_event()).event_name == "5"


async def test_a_full_store_that_does_not_reject_discards_the_oldest(
    connection: Connection, store_server: NatsServer, channel_name: str
) -> None:
    async with Connection(store_server.url) as away:
        await durable_puller(await opened(away, channel_name))
    channel = await opened(connection, channel_name)
    await push(channel, 1)
    channel.set_admin({"MaxQueueLength": 3, "RejectNewEvents": False})
    await push(channel, 2, 3, 4, 5)

    pulling = await durable_puller(channel)
    async with asyncio.timeout(10):
        got = [(await pulling.pull_structured_event()).event_name for _ in range(3)]

    assert got == ["3", "4", "5"]


async def test_batches_are_acknowledged_together(
    connection: Connection, channel_name: str, eventually: Eventually
) -> None:
    channel, consumer = await opened(connection, channel_name), Batches()
    await sequence_consumer(channel, consumer, MaximumBatchSize=4)

    await push(channel, *range(8))

    await eventually(lambda: len(consumer.got) == 2)
    assert consumer.names == [["0", "1", "2", "3"], ["4", "5", "6", "7"]]


async def test_an_event_too_large_for_the_server_is_refused_before_sending(
    connection: Connection, channel_name: str
) -> None:
    channel = await opened(connection, channel_name)
    proxy = channel.default_supplier_admin.obtain_notification_push_consumer(ClientType.ANY_EVENT)
    await proxy.connect_any_push_supplier()

    with pytest.raises(TooLargeError):
        await proxy.push(b"x" * connection.link.max_payload_bytes)
    await proxy.push(b"x" * (connection.link.max_payload_bytes - 400))


async def test_closing_ends_the_wait_of_one_who_pushes(mortal_server: NatsServer) -> None:
    connection = await Connection(mortal_server.url).open()
    channel = await opened(connection, "channel")
    supplying = await structured_supplier(channel)
    await supplying.push_structured_event(numbered(0))
    await asyncio.to_thread(mortal_server.kill)
    waiting = asyncio.create_task(supplying.push_structured_event(numbered(1)))
    await asyncio.sleep(0)

    await connection.close()

    with pytest.raises(NotConnectedError):
        await asyncio.wait_for(waiting, 30)


class Failing(Numbers):
    """Fails some times before it takes an event."""

    def __init__(self, fails: dict[int, int]) -> None:
        super().__init__()
        self.fails = fails

    def push_structured_event(self, event: StructuredEvent, stamp: object) -> None:
        number = int(event.event_name)
        if self.fails.get(number, 0) > 0:
            self.fails[number] -= 1
            raise RuntimeError("on purpose")
        super().push_structured_event(event, stamp)


async def test_a_consumer_that_fails_gets_the_event_again_before_the_next(
    connection: Connection, channel_name: str, eventually: Eventually
) -> None:
    channel, consumer = await opened(connection, channel_name), Failing({1: 2, 3: 1})
    proxy = await durable_consumer(channel, consumer)

    await push(channel, *range(6))

    await eventually(lambda: len(consumer.got) == 6)
    assert consumer.got == list(range(6))
    assert proxy.failed == 0


async def test_between_two_attempts_there_is_a_pause(
    connect: Connect, store_server: NatsServer, channel_name: str, eventually: Eventually
) -> None:
    clock = Clock()
    connection = await connect(url=store_server.url, clock_us=clock)
    channel, consumer = await opened(connection, channel_name), Failing({0: 2})
    await durable_consumer(channel, consumer)
    await push(channel, 0)
    await eventually(lambda: consumer.fails[0] == 1)

    clock.pass_s(0.049)
    await push(channel, 1)
    await connection.probe()
    assert consumer.fails[0] == 1
    clock.pass_s(0.002)
    await eventually(lambda: consumer.fails[0] == 0)
    clock.pass_s(0.099)
    await connection.probe()
    assert consumer.got == []
    clock.pass_s(0.002)
    await eventually(lambda: consumer.got == [0, 1])


async def test_an_event_on_which_a_consumer_always_fails_is_set_aside(
    connection: Connection, channel_name: str, eventually: Eventually
) -> None:
    channel = await opened(connection, channel_name, ChannelOptions(attempts=3))
    consumer = Failing({1: 1000})
    proxy = await durable_consumer(channel, consumer)

    await push(channel, 0, 1, 2)

    await eventually(lambda: consumer.got == [0, 2])
    assert (proxy.failed, consumer.fails[1]) == (1, 997)
    assert "3 times" in channel.set_aside[0].reason
