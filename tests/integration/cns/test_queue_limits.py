"""Queues of real consumers: the matrix of policies, and who may hold how much."""

import pytest
from eventservices.cns import ChannelOptions, Connection, EventChannel
from eventservices.cns.errors import ImplLimitError
from integration.cns.clients import (
    Structureds,
    drained,
    named,
    structured_consumer,
    structured_puller,
    structured_supplier,
)
from integration.cns.clock import ticks
from integration.cns.conftest import Connect

pytestmark = pytest.mark.broker

PRIORITIES = (0, 0, 0, 2, 2, 0, -1, -1, 0)
TIMEOUTS_S = (90, 80, 70, 30, 20, 50, 40, 60, 10)
ANY, FIFO, PRIORITY, DEADLINE, LIFO = range(5)
MATRIX = [
    *[(discard, FIFO, "12345") for discard in (ANY, LIFO, PRIORITY)],
    *[(discard, PRIORITY, "45123") for discard in (ANY, LIFO, PRIORITY)],
    *[(discard, DEADLINE, "54321") for discard in (ANY, LIFO, PRIORITY)],
    (FIFO, FIFO, "56789"),
    (FIFO, PRIORITY, "56978"),
    (FIFO, DEADLINE, "95768"),
    (DEADLINE, FIFO, "12368"),
    (DEADLINE, PRIORITY, "12368"),
    (DEADLINE, DEADLINE, "68321"),
]


@pytest.fixture
async def connection(connect: Connect) -> Connection:
    return await connect()


@pytest.fixture
async def channel(connection: Connection, channel_name: str) -> EventChannel:
    return await connection.open_channel(channel_name)


async def push_nine(channel: EventChannel) -> None:
    supplying = await structured_supplier(channel)
    for number, priority, lifetime in zip(range(1, 10), PRIORITIES, TIMEOUTS_S, strict=True):
        header = {"Timeout": ticks(lifetime)} | ({"Priority": priority} if priority else {})
        await supplying.push_structured_event(named(str(number), **header))
    await channel.my_factory.probe()


async def push(channel: EventChannel, *names: str) -> None:
    supplying = await structured_supplier(channel)
    for name in names:
        await supplying.push_structured_event(named(name))
    await channel.my_factory.probe()


@pytest.mark.parametrize(("discard", "order", "expected"), MATRIX)
async def test_the_matrix_holds_for_one_who_pulls(
    channel: EventChannel, discard: int, order: int, expected: str
) -> None:
    pulling = await structured_puller(
        channel, OrderPolicy=order, DiscardPolicy=discard, MaxEventsPerConsumer=5
    )

    await push_nine(channel)

    assert (pulling.pending, pulling.discarded) == (5, 4)
    assert "".join(drained(pulling)) == expected


@pytest.mark.parametrize(("discard", "order", "expected"), MATRIX)
async def test_the_matrix_holds_for_one_who_was_suspended(
    channel: EventChannel, discard: int, order: int, expected: str
) -> None:
    consumer = Structureds()
    admin = channel.new_for_consumers()
    admin.set_qos({"OrderPolicy": order, "DiscardPolicy": discard, "MaxEventsPerConsumer": 5})
    proxy = await structured_consumer(channel, consumer, admin)
    proxy.suspend_connection()

    await push_nine(channel)
    proxy.resume_connection()

    assert "".join(event.event_name for event in consumer.events) == expected


async def test_policies_may_change_while_events_wait(channel: EventChannel) -> None:
    pulling = await structured_puller(channel, OrderPolicy=FIFO)
    await push_nine(channel)

    pulling.set_qos({"OrderPolicy": PRIORITY, "DiscardPolicy": FIFO, "MaxEventsPerConsumer": 5})

    assert pulling.discarded == 4
    assert "".join(drained(pulling)) == "56978"


async def test_no_limit_is_the_clients_bound(connection: Connection, channel_name: str) -> None:
    channel = await connection.open_channel(channel_name, ChannelOptions(queued=3))
    pulling = await structured_puller(channel)

    await push(channel, *"abcde")

    assert (pulling.discarded, drained(pulling)) == (2, ["a", "b", "c"])


async def test_a_full_channel_refuses_those_who_push(channel: EventChannel) -> None:
    channel.set_admin({"MaxQueueLength": 3})
    one, other = await structured_puller(channel), await structured_puller(channel)
    await push(channel, "a")
    await push(channel, "b")
    assert channel.waiting == 3
    assert (one.pending, other.pending, other.discarded) == (2, 1, 1)

    with pytest.raises(ImplLimitError) as caught:
        await push(channel, "c")

    assert caught.value.retryable
    assert drained(one) == ["a", "b"]
    await push(channel, "d")
    assert (drained(one), drained(other)) == (["d"], ["a", "d"])


async def test_a_full_channel_that_does_not_reject_discards_by_policy(
    channel: EventChannel,
) -> None:
    channel.set_admin({"MaxQueueLength": 3, "RejectNewEvents": False})
    pulling = await structured_puller(channel, DiscardPolicy=FIFO)

    await push(channel, *"abcde")

    assert (pulling.discarded, drained(pulling)) == (2, ["c", "d", "e"])


async def test_events_of_others_are_not_taken_while_the_channel_is_full(
    channel: EventChannel, connect: Connect
) -> None:
    channel.set_admin({"MaxQueueLength": 2})
    pulling = await structured_puller(channel)
    other = await connect()

    await push(await other.open_channel(channel.name), *"abcd")
    await channel.my_factory.probe()

    assert (drained(pulling), pulling.discarded, channel.refused) == (["a", "b"], 2, 2)
