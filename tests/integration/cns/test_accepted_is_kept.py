"""What a channel accepts is delivered; what it cannot accept raises, by what is true just then."""

import asyncio
from collections.abc import Sequence

import pytest
from eventservices.cns import Connection, EventChannel
from eventservices.cns.errors import ImplLimitError
from eventservices.errors import NotConnectedError
from eventservices.servers import NatsServer
from integration.cns.clients import (
    Anys,
    Structureds,
    any_consumer,
    any_supplier,
    drained,
    named,
    sequence_supplier,
    structured_consumer,
    structured_puller,
    structured_supplier,
)
from integration.cns.conftest import Connect, Eventually
from integration.cns.stored import Numbers, durable_consumer, opened, push

pytestmark = pytest.mark.broker

DISCARD_POLICIES = range(5)


@pytest.fixture
async def connection(connect: Connect) -> Connection:
    return await connect()


@pytest.fixture
async def channel(connection: Connection, channel_name: str) -> EventChannel:
    return await connection.open_channel(channel_name)


async def burst(channel: EventChannel, count: int) -> list[str]:
    """Push events one behind the other; return the names of those that were accepted."""
    supplying, accepted = await structured_supplier(channel), []
    for number in range(count):
        try:
            await supplying.push_structured_event(named(str(number)))
        except ImplLimitError:
            continue
        accepted.append(str(number))
    assert supplying.pushed == len(accepted)
    return accepted


def names(consumer: Structureds) -> list[str]:
    return [event.event_name for event in consumer.events]


@pytest.mark.parametrize("limit", [1, 2, 7])
@pytest.mark.parametrize("policy", DISCARD_POLICIES)
async def test_of_a_burst_what_is_accepted_is_delivered_and_the_rest_raises(
    channel: EventChannel, policy: int, limit: int
) -> None:
    channel.set_admin({"MaxQueueLength": limit})
    consumer = Structureds()
    admin = channel.new_for_consumers()
    admin.set_qos({"DiscardPolicy": policy})
    proxy = await structured_consumer(channel, consumer, admin)
    proxy.suspend_connection()

    accepted = await burst(channel, 200)
    await channel.my_factory.probe()
    assert (channel.waiting, channel.refused) == (limit, 200 - limit)
    proxy.resume_connection()

    assert names(consumer) == accepted
    assert len(accepted) == limit
    assert proxy.discarded == 0


async def test_those_who_push_at_the_same_time_share_the_places(channel: EventChannel) -> None:
    channel.set_admin({"MaxQueueLength": 3})
    pulling = await structured_puller(channel)

    bursts = await asyncio.gather(*(burst(channel, 20) for _ in range(5)))
    await channel.my_factory.probe()

    assert sorted(drained(pulling)) == sorted(name for part in bursts for name in part)
    assert (sum(map(len, bursts)), pulling.discarded) == (3, 0)


async def test_a_batch_is_accepted_up_to_its_first_event_without_a_place(
    channel: EventChannel,
) -> None:
    channel.set_admin({"MaxQueueLength": 3})
    pulling = await structured_puller(channel)
    batches = await sequence_supplier(channel)

    with pytest.raises(ImplLimitError):
        await batches.push_structured_events([named(name) for name in "abcde"])
    await channel.my_factory.probe()

    assert drained(pulling) == list("abc")


async def test_a_consumer_that_keeps_up_is_no_reason_to_refuse(channel: EventChannel) -> None:
    channel.set_admin({"MaxQueueLength": 2})
    consumer = Structureds()
    await structured_consumer(channel, consumer)

    accepted = await burst(channel, 100)
    await channel.my_factory.probe()

    assert len(accepted) == 100
    assert names(consumer) == accepted


async def test_events_that_nobody_here_consumes_take_no_place(channel: EventChannel) -> None:
    channel.set_admin({"MaxQueueLength": 2})
    assert len(await burst(channel, 20)) == 20


async def test_a_place_is_free_again_when_the_consumer_has_left(channel: EventChannel) -> None:
    channel.set_admin({"MaxQueueLength": 2})
    pulling = await structured_puller(channel)
    assert len(await burst(channel, 5)) == 2
    await pulling.disconnect_structured_pull_supplier()
    assert len(await burst(channel, 5)) == 5


async def test_what_others_publish_does_not_take_the_place_of_what_was_accepted(
    channel: EventChannel, connect: Connect
) -> None:
    channel.set_admin({"MaxQueueLength": 2})
    pulling = await structured_puller(channel)
    other = await connect()
    theirs = await structured_supplier(await other.open_channel(channel.name))

    ours, _ = await asyncio.gather(
        burst(channel, 2),
        asyncio.gather(*(theirs.push_structured_event(named(f"x{n}")) for n in range(9))),
    )
    await other.probe()
    await channel.my_factory.probe()

    got = drained(pulling)
    assert [name for name in got if not name.startswith("x")] == ours
    assert len(got) <= 2
    assert pulling.discarded == 9 + len(ours) - len(got)


async def test_an_event_that_is_put_back_is_not_refused(channel: EventChannel) -> None:
    channel.set_admin({"MaxQueueLength": 1})
    pulling = await structured_puller(channel)
    supplying = await structured_supplier(channel)
    await supplying.push_structured_event(named("held"))
    held = await pulling.hold_structured_event()
    await supplying.push_structured_event(named("next"))
    await channel.my_factory.probe()

    held.again()

    assert sorted(drained(pulling)) == ["held", "next"]
    assert pulling.discarded == 0


async def test_what_is_stored_waits_for_a_consumer_whose_channel_is_full(
    connect: Connect, store_server: NatsServer, channel_name: str, eventually: Eventually
) -> None:
    """Its store keeps it: it is neither discarded nor confirmed unread."""
    here, there = await connect(url=store_server.url), await connect(url=store_server.url)
    consumer = Numbers()
    channel = await opened(here, channel_name)
    proxy = await durable_consumer(channel, consumer)
    channel._core.admin.set({"MaxQueueLength": 2})  # of this client, not of the store
    proxy.suspend_connection()

    await push(await opened(there, channel_name), *range(6))
    await eventually(lambda: proxy.pending == 6)
    proxy.resume_connection()

    await eventually(lambda: consumer.got == list(range(6)))
    assert proxy.discarded == 0


async def away(server: NatsServer, connections: Sequence[Connection], wait: Eventually) -> None:
    server.kill()
    await wait(lambda: not any(connection.connected for connection in connections))


async def test_what_is_pushed_while_the_broker_is_away_is_refused_not_counted_as_pushed(
    connect: Connect, own_server: NatsServer, channel_name: str, eventually: Eventually
) -> None:
    connection = await connect(url=own_server.url)
    channel, consumer = await connection.open_channel(channel_name), Anys()
    proxy = await any_supplier(channel)
    await any_consumer(channel, consumer)
    await away(own_server, [connection], eventually)

    for number in range(5):
        with pytest.raises(NotConnectedError):
            await proxy.push(number)
    assert (proxy.pushed, connection.link.counters.refused) == (0, 5)
    own_server.start()
    await eventually(lambda: connection.connected)
    await connection.probe()
    await proxy.push("again")

    await eventually(lambda: consumer.values == ["again"])


async def test_no_place_is_taken_for_ever_by_what_was_lost_with_the_connection(
    connect: Connect, own_server: NatsServer, channel_name: str, eventually: Eventually
) -> None:
    connection, other = await connect(url=own_server.url), await connect(url=own_server.url)
    channel = await connection.open_channel(channel_name, admin={"MaxQueueLength": 1})
    pulling = await structured_puller(channel)
    channel._core.dispatcher.in_flight.begin(("lost", 1, 1))
    await away(own_server, [connection, other], eventually)
    own_server.start()
    await eventually(lambda: connection.connected and other.connected)
    await eventually(lambda: not channel._core.dispatcher.in_flight)

    theirs = await structured_supplier(await other.open_channel(channel_name))
    await theirs.push_structured_event(named("theirs"))

    await eventually(lambda: pulling.pending == 1)
