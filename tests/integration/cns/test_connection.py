import asyncio
import socket
import time

import pytest
from eventservices.cns import ALL_TYPES, Connection
from eventservices.errors import NotConnectedError
from eventservices.natslink import LinkOptions
from eventservices.ports import free_port
from eventservices.servers import NatsServer
from integration.cns.clients import Anys, Supplier, any_consumer, any_supplier
from integration.cns.conftest import Connect, Eventually
from support.processes.halted import halted

pytestmark = pytest.mark.broker

QUICK = LinkOptions(open_timeout_s=1.0, probe_interval_s=0.5, probe_timeout_s=0.5)


async def test_a_broker_that_is_not_there_is_told_in_time() -> None:
    started = time.monotonic()

    with pytest.raises(NotConnectedError):
        await Connection(f"nats://127.0.0.1:{free_port()}", link=QUICK).open()

    assert time.monotonic() - started < 5.0


async def test_a_probe_proves_a_round_trip(connect: Connect) -> None:
    assert 0.0 < await (await connect()).probe() < 5.0


async def test_nothing_waits_to_be_sent_in_one_packet(connect: Connect) -> None:
    writer = (await connect()).link.client._transport._io_writer  # type: ignore[union-attr] # TCP
    plain = writer.get_extra_info("socket")

    assert plain.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_all_comes_back_after_the_server_was_killed(
    connect: Connect, channel_name: str, eventually: Eventually, own_server: NatsServer
) -> None:
    car, city = await connect("car", own_server.url), await connect("city", own_server.url)
    here, there = await car.open_channel(channel_name), await city.open_channel(channel_name)
    consumer = Anys()
    supplying, _ = await any_supplier(here), await any_consumer(there, consumer)
    await eventually(lambda: here.subscriptions == (ALL_TYPES,))

    own_server.kill()
    await eventually(lambda: not car.connected and not city.connected)
    assert here.subscriptions == (ALL_TYPES,), "what cannot be heard is not forgotten"
    own_server.start()
    await eventually(lambda: car.connected and city.connected)

    late = await (await connect("late", own_server.url)).open_channel(channel_name)
    await eventually(lambda: late.subscriptions == (ALL_TYPES,))
    await city.probe()
    await supplying.push("after")
    await eventually(lambda: "after" in consumer.values)


async def test_members_that_cannot_be_heard_are_not_forgotten(
    connect: Connect, channel_name: str, eventually: Eventually, own_server: NatsServer
) -> None:
    car = await connect("car", own_server.url, beat_s=0.1)
    city = await connect("city", own_server.url, beat_s=0.1)
    here, there = await car.open_channel(channel_name), await city.open_channel(channel_name)
    supplier = Supplier()
    await any_supplier(here, supplier)
    await any_consumer(there, Anys())
    await eventually(lambda: supplier.told == [([ALL_TYPES], [])])

    own_server.kill()
    await asyncio.sleep(1.0)  # far longer than a member may be silent
    assert here.subscriptions == (ALL_TYPES,)
    own_server.start()
    await eventually(lambda: car.connected and city.connected)
    await there.close()

    await eventually(lambda: len(supplier.told) == 2)
    assert supplier.told == [([ALL_TYPES], []), ([], [ALL_TYPES])]


async def test_a_change_made_while_the_client_is_replaced_is_told_afterwards(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    car, city = await connect("car", beat_s=60.0), await connect("city", beat_s=60.0)
    here, there = await car.open_channel(channel_name), await city.open_channel(channel_name)
    receiving = await any_consumer(there, Anys())
    await eventually(lambda: here.subscriptions == (ALL_TYPES,))

    await city.link.client.close()
    await receiving.subscription_change([("Traffic", "Speed")], [])

    await eventually(lambda: here.subscriptions == (("Traffic", "Speed"),))
    assert city.link.counters.rebuilds == 1


async def test_a_change_made_while_the_broker_is_away_is_told_afterwards(
    connect: Connect, channel_name: str, eventually: Eventually, own_server: NatsServer
) -> None:
    car, city = await connect("car", own_server.url), await connect("city", own_server.url)
    here, there = await car.open_channel(channel_name), await city.open_channel(channel_name)
    receiving = await any_consumer(there, Anys())
    await eventually(lambda: here.subscriptions == (ALL_TYPES,))

    own_server.kill()
    await eventually(lambda: not city.connected and not car.connected)
    await receiving.subscription_change([("Traffic", "Speed")], [])
    own_server.start()

    await eventually(lambda: here.subscriptions == (("Traffic", "Speed"),))


async def test_a_client_that_went_deaf_is_replaced(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    connection = await connect()
    channel = await connection.open_channel(channel_name)
    consumer = Anys()
    await any_consumer(channel, consumer)
    proxy = await any_supplier(channel)
    reading = connection.link.client._reading_task
    assert reading is not None

    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    assert connection.connected, "it says so, and hears nothing"
    with pytest.raises(NotConnectedError):
        await connection.probe()

    await eventually(lambda: connection.link.counters.rebuilds == 1)
    await connection.probe()
    await proxy.push("heard again")
    await eventually(lambda: consumer.values == ["heard again"])


async def test_a_stalled_server_blocks_neither_close_nor_the_loop(
    connect: Connect, channel_name: str, own_server: NatsServer
) -> None:
    connection = await connect("car", own_server.url)
    channel = await connection.open_channel(channel_name)
    proxy = await any_supplier(channel)

    async def push_for_ever() -> None:
        while True:
            await proxy.push(b"x" * 100_000)

    with halted(own_server):
        pushing = asyncio.create_task(push_for_ever())
        await asyncio.sleep(0.3)
        started = time.monotonic()
        await asyncio.gather(connection.close(), connection.close())
        assert time.monotonic() - started < 10.0
        await connection.close()
        pushing.cancel()
        ended = await asyncio.gather(pushing, return_exceptions=True)
    assert isinstance(ended[0], NotConnectedError | asyncio.CancelledError | ConnectionError)


async def test_closing_wakes_whoever_waits_for_the_server(
    channel_name: str, own_server: NatsServer
) -> None:
    patient = LinkOptions(probe_interval_s=0.0, probe_timeout_s=30.0)
    connection = await Connection(own_server.url, link=patient).open()
    channel = await connection.open_channel(channel_name)

    with halted(own_server):
        waiting = [
            asyncio.create_task(any_consumer(channel, Anys())),
            asyncio.create_task(connection.open_channel("another")),
            asyncio.create_task(connection.probe()),
        ]
        await asyncio.sleep(0.1)
        await connection.close()
        async with asyncio.timeout(5.0):
            ended = await asyncio.gather(*waiting, return_exceptions=True)
    assert [isinstance(error, NotConnectedError) for error in ended] == [True, True, True]


async def test_a_consumer_cannot_connect_while_the_broker_is_away(
    connect: Connect, channel_name: str, eventually: Eventually, own_server: NatsServer
) -> None:
    connection = await connect("city", own_server.url)
    channel = await connection.open_channel(channel_name)

    own_server.kill()
    await eventually(lambda: not connection.connected)
    with pytest.raises(NotConnectedError):
        await any_consumer(channel, Anys())
    with pytest.raises(NotConnectedError):
        await connection.open_channel("another")
    own_server.start()
    await eventually(lambda: connection.connected)

    assert [kept.name for kept in connection.channels] == [channel_name]
    consumer = Anys()
    await any_consumer(channel, consumer)
    await (await any_supplier(channel)).push(1)
    await eventually(lambda: consumer.values == [1])


async def test_closing_leaves_nothing_behind(
    connect: Connect, channel_name: str, eventually: Eventually
) -> None:
    watching = await (await connect("watching")).open_channel(channel_name)
    before = asyncio.all_tasks()
    connection = await connect("closing")
    channel = await connection.open_channel(channel_name)
    await any_consumer(channel, Anys())
    await eventually(lambda: watching.others)

    await connection.close()

    await eventually(lambda: not watching._core.membership.table.members)
    await eventually(lambda: asyncio.all_tasks() <= before)
    assert connection.channels == ()
    with pytest.raises(NotConnectedError):
        await connection.open_channel(channel_name)
