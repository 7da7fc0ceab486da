import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace

import pytest
from eventservices.errors import NotConnectedError, RefusedError
from eventservices.ports import free_port
from eventservices.steam import (
    Air,
    AirPool,
    AirSettings,
    Event,
    FixedLocation,
    Node,
    NodeSettings,
    Notification,
    around,
)
from eventservices.steam.topics import encode_level
from integration.steam.brokers import Broker
from integration.steam.fake_broker import FakeBroker

Eventually = Callable[[Callable[[], bool]], Awaitable[None]]


def place(air: Air, name: str) -> Node:
    return air.node(NodeSettings(name, 300.0), FixedLocation(50.0, 11.0))


async def test_a_broker_that_was_killed_and_came_back_serves_as_before(
    own_broker: Broker, eventually: Eventually
) -> None:
    heard: list[Notification] = []
    async with Air(AirSettings(own_broker.mqtt_url, connections=2)) as air:
        vehicle, monitor = place(air, "v"), place(air, "m")
        await monitor.subscribe("Speed", heard.append)
        vehicle.announce("Speed", around(300.0))
        vehicle.publish(Event("Speed", {"rate": 1}))
        await eventually(lambda: len(heard) == 1)
        first = own_broker.pid
        own_broker.kill()
        await eventually(lambda: not air.connected)
        with pytest.raises(NotConnectedError):
            vehicle.publish(Event("Speed", {"rate": 2}))
        assert not air.healthy
        own_broker.start()
        assert own_broker.pid != first
        await eventually(lambda: air.healthy)
        await air.probe()
        vehicle.publish(Event("Speed", {"rate": 3}))
        await eventually(lambda: len(heard) == 2)
        assert [one.parameters["rate"] for one in heard] == [1, 3]
        assert air.counters.reconnected == 2
        assert vehicle.counters.unsent == 1


async def test_a_subscription_made_while_the_broker_is_away_is_in_force_when_it_is_back(
    own_broker: Broker, eventually: Eventually
) -> None:
    heard: list[Notification] = []
    async with Air(AirSettings(own_broker.mqtt_url)) as air:
        own_broker.kill()
        await eventually(lambda: not air.connected)
        monitor = place(air, "m")
        waiting = asyncio.create_task(monitor.subscribe("Speed", heard.append))
        await asyncio.sleep(0)
        assert not waiting.done()
        own_broker.start()
        await waiting
        vehicle = place(air, "v")
        vehicle.announce("Speed", around(300.0))
        vehicle.publish(Event("Speed", {"rate": 3}))
        await air.probe()
        assert len(heard) == 1


async def test_a_refused_subscription_is_an_error_and_leaves_nothing_behind() -> None:
    broker = FakeBroker(refuse=lambda topic: "/event/" in topic)
    async with broker, Air(AirSettings(broker.url)) as air:
        monitor = place(air, "m")
        with pytest.raises(RefusedError, match="refused a subscription"):
            await monitor.subscribe("Speed", lambda _: None)
        assert not monitor.subscriptions
        assert air.healthy
        assert air.counters.refused > 0


async def test_an_unanswered_subscription_is_an_error_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("eventservices.steam.consumer.SUBSCRIBE_S", 0.05)
    async with FakeBroker() as broker, Air(AirSettings(broker.url)) as air:
        broker.code = None
        with pytest.raises(NotConnectedError, match="not active"):
            await place(air, "m").subscribe("Speed", lambda _: None)


async def test_a_suback_that_stays_out_makes_the_connection_anew(
    monkeypatch: pytest.MonkeyPatch, eventually: Eventually
) -> None:
    monkeypatch.setattr("eventservices.steam.link._ACK_S", 0.1)
    async with FakeBroker() as broker, Air(AirSettings(broker.url, keepalive_s=1)) as air:
        broker.code = None
        waiting = asyncio.create_task(place(air, "m").subscribe("Speed", lambda _: None))
        await eventually(lambda: broker.connections > 1)
        broker.code = 0
        await waiting
        await eventually(lambda: air.healthy)


async def test_a_deaf_connection_fails_its_probe_and_is_made_anew(eventually: Eventually) -> None:
    async with FakeBroker() as broker, Air(AirSettings(broker.url)) as air:
        assert air.healthy
        with pytest.raises(NotConnectedError, match="no message came back"):
            await air.probe(0.05)
        await eventually(lambda: broker.connections > 1 and air.healthy)
        assert air.counters.reconnected == 1


@pytest.mark.parametrize(
    ("accept", "kind"), [(5, RefusedError), (3, NotConnectedError), (None, NotConnectedError)]
)
async def test_a_broker_that_does_not_take_the_client_is_an_error(
    accept: int | None, kind: type[Exception]
) -> None:
    async with FakeBroker(accept=accept) as broker:
        with pytest.raises(kind):
            await Air(AirSettings(broker.url)).open()


async def test_no_broker_is_an_error() -> None:
    with pytest.raises(NotConnectedError, match="no broker at"):
        await Air(AirSettings(f"mqtt://127.0.0.1:{free_port()}")).open()


async def test_a_broker_that_says_nothing_is_an_error_in_time() -> None:
    async with FakeBroker(code=None) as broker:
        with pytest.raises(NotConnectedError):
            await Air(AirSettings(broker.url, connect_s=0.05)).open()


@pytest.mark.parametrize(
    "packet",
    [
        b"\x90\x02\x00\x01",  # SUBACK without codes
        b"\x90\x03\xff\xff\x00",  # SUBACK for a packet never sent
        b"\x30\x03\x00\x01\xff",  # topic that is no UTF-8
        b"\x30\x02\xff\xff",  # topic longer than its packet
        b"\x40\x02\x00\x07",  # PUBACK for nothing
        b"\xf0\x00",  # reserved packet type
        b"\x30\x05\x00\x00abc",  # empty topic
    ],
)
async def test_a_hostile_packet_does_not_end_the_connection(
    packet: bytes, eventually: Eventually
) -> None:
    async with FakeBroker() as broker, Air(AirSettings(broker.url)) as air:
        broker.send(packet)
        await place(air, "m").subscribe("Speed", lambda _: None)
        assert air.healthy
        assert broker.connections == 1


async def test_a_backlog_is_bounded() -> None:
    def flood(node: Node) -> None:
        for _ in range(1000):  # the loop does not run: what the socket does not take stays
            node.publish(Event("Blob", {"raw": bytes(100_000)}))

    broker = FakeBroker()
    async with broker, Air(AirSettings(broker.url, outgoing_bytes=100_000)) as air:
        vehicle = place(air, "v")
        vehicle.announce("Blob", around(300.0))
        with pytest.raises(NotConnectedError, match="buffer is full"):
            flood(vehicle)
        assert vehicle.counters.unsent == 1
        await air.drain()
        assert vehicle.publish(Event("Blob", {"raw": b""})) is not None


async def subscribe_to_many(node: Node) -> None:
    for number in range(8):
        await node.subscribe(f"s{number}", lambda _: None)


async def test_topics_are_bounded(settings: AirSettings) -> None:
    async with Air(replace(settings, topics=8)) as air:
        monitor = place(air, "m")
        with pytest.raises(RefusedError, match="more than 8 topics"):
            await subscribe_to_many(monitor)
        assert len(monitor.subscriptions) < 8
        assert air.healthy


async def test_closing_twice_is_harmless(settings: AirSettings) -> None:
    air = Air(settings)
    await air.open()
    node = place(air, "m")
    await node.subscribe("Speed", lambda _: None)
    await air.close()
    await air.close()
    node.close()
    assert not air.connected


async def test_users_of_a_pool_share_an_air_until_the_last_leaves(settings: AirSettings) -> None:
    pool = AirPool()
    async with pool.share(settings) as first:
        async with pool.share(replace(settings, client_id="other")) as second:
            assert first is second
        assert first.healthy
        async with pool.share(replace(settings, name="elsewhere")) as third:
            assert third is not first
    assert not first.connected


@pytest.mark.parametrize("client_id", ["plain", "with space", "star*.>", "a/b+#", "x" * 200])
async def test_any_client_id_is_taken(settings: AirSettings, client_id: str) -> None:
    async with Air(replace(settings, client_id=client_id)) as air:
        assert await air.probe() < 2.0
    assert encode_level(client_id)


@pytest.fixture
async def taken_over(settings: AirSettings) -> AsyncIterator[Air]:
    async with Air(replace(settings, client_id="same")) as air:
        yield air


async def test_a_client_that_was_taken_over_comes_back_without_a_storm(
    taken_over: Air, settings: AirSettings, eventually: Eventually
) -> None:
    async with Air(replace(settings, client_id="same")):
        await eventually(lambda: not taken_over.connected)
    await eventually(lambda: taken_over.healthy)
    assert taken_over.counters.reconnected <= 3
