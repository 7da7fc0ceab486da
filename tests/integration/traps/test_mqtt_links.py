"""What MQTT and its client do to a link, and what the link makes of it."""

import time
from functools import partial

import gmqtt
import pytest
from eventservices import lasting
from eventservices.errors import NotConnectedError
from eventservices.servers import NatsServer
from eventservices.steam import (
    Air,
    AirSettings,
    Event,
    FixedLocation,
    Node,
    NodeSettings,
    Notification,
    around,
)
from eventservices.steam import link as link_module
from eventservices.steam.mqtt import MqttConnection, publish_packet
from fes.testing.eventually import eventually
from integration.steam.fake_broker import FakeBroker
from integration.traps.strangers import somebody_else
from support.processes.proxy import Proxy

pytestmark = pytest.mark.broker


def through(proxy: Proxy, name: str, keepalive_s: int = 5) -> Air:
    return Air(AirSettings(f"mqtt://127.0.0.1:{proxy.port}", name, keepalive_s=keepalive_s))


def place(air: Air, name: str) -> Node:
    return air.node(NodeSettings(name, 300.0), FixedLocation(50.0, 11.0))


async def works(air: Air) -> None:
    """Wait until the air is whole and brings its own messages back."""

    async def proved() -> bool:
        try:
            return air.healthy and await air.probe(1.0) > 0
        except NotConnectedError:
            return False

    await eventually(proved, 30.0, "the air works")


async def test_the_keep_alive_finds_a_half_open_connection_by_itself(mqtt_proxy: Proxy) -> None:
    async with through(mqtt_proxy, "half open", keepalive_s=1) as air:
        made = mqtt_proxy.connections
        mqtt_proxy.deafen()
        await eventually(lambda: mqtt_proxy.connections > made, 15.0, "another connection")
        await works(air)


async def test_a_connection_that_is_ended_at_once_is_not_made_again_in_a_storm(
    mqtt_proxy: Proxy,
) -> None:
    async with through(mqtt_proxy, "kicked") as air:
        began_s, made = time.monotonic(), mqtt_proxy.connections
        mqtt_proxy.kick_s = 0.03
        mqtt_proxy.cut()
        await eventually(lambda: mqtt_proxy.connections >= made + 5, 30.0, "five attempts")
        least_s, _ = link_module._BACKOFF_S
        assert time.monotonic() - began_s > 5 * least_s
        mqtt_proxy.kick_s = None
        await works(air)


def garbage(caller: int) -> bytes:
    return b"HTTP/1.1 400 Bad Request\r\n\r\n" if caller % 2 else b"\x20\x01"


async def test_something_else_on_the_brokers_port_does_not_end_the_link(
    own_server: NatsServer,
) -> None:
    async with Air(AirSettings(own_server.mqtt_url, connect_s=0.5)) as air:
        own_server.kill()
        async with somebody_else(own_server.mqtt_port, garbage) as callers:
            await eventually(lambda: len(callers) > 2, 30.0, "it called several times")
        own_server.start()
        await works(air)


async def test_an_error_that_nobody_expected_does_not_end_the_keeper_of_a_link(
    mqtt_proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lasting, "RESTART_S", 0.05)
    async with through(mqtt_proxy, "bug") as air:
        connect, failed = MqttConnection.open, list[int]()

        async def open_(self: object, address: object) -> None:
            if len(failed) < 3:
                failed.append(1)
                raise KeyError("a bug of the client")
            await connect(self, address)  # type: ignore[arg-type] # passed on

        monkeypatch.setattr(MqttConnection, "open", open_)
        mqtt_proxy.cut()
        await works(air)
        assert len(failed) == 3


async def test_what_was_refused_while_the_broker_was_away_is_not_sent_later(
    server: NatsServer, mqtt_proxy: Proxy
) -> None:
    """A client that queues it and calls that an error makes who tries again double it."""
    heard: list[Notification] = []
    async with (
        Air(AirSettings(server.mqtt_url, "away")) as listening,
        through(mqtt_proxy, "away") as air,
    ):
        monitor, vehicle = place(listening, "m"), place(air, "v")
        await monitor.subscribe("Speed", heard.append)
        vehicle.announce("Speed", around(300.0))
        mqtt_proxy.silent = True
        mqtt_proxy.cut()
        await eventually(lambda: not air.connected)
        for number in range(20):
            with pytest.raises(NotConnectedError):
                vehicle.publish(Event("Speed", {"number": number}))
        mqtt_proxy.silent = False
        mqtt_proxy.cut()
        await works(air)
        vehicle.publish(Event("Speed", {"number": 99}))
        await eventually(lambda: heard)
        await listening.probe()
        assert [one.parameters["number"] for one in heard] == [99]
        assert vehicle.counters.unsent == 20


async def test_nothing_is_promised_that_the_broker_would_have_to_keep(
    mqtt_proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broker acknowledges what it then drops, or loses when it is killed: nothing rests on it."""
    asked: list[tuple[str, int]] = []
    subscribe = gmqtt.Client.subscribe

    def record(self: gmqtt.Client, topics: list[gmqtt.Subscription], *rest: object) -> int:
        asked.extend((each.topic, each.qos) for each in topics)
        mid: int = subscribe(self, topics, *rest)
        return mid

    monkeypatch.setattr(gmqtt.Client, "subscribe", record)
    async with through(mqtt_proxy, "light") as air:
        await place(air, "m").subscribe("Speed", lambda _: None)
        (carrier,) = air._carriers
        assert carrier.link._connection is not None
        assert carrier.link._connection._client._clean_session
    assert len(asked) > 1
    assert {qos for _, qos in asked} == {0}
    assert publish_packet(b"t", b"")[0] == 0x30


async def test_a_subscription_is_there_again_after_every_loss(
    server: NatsServer, mqtt_proxy: Proxy
) -> None:
    heard: list[Notification] = []
    async with (
        Air(AirSettings(server.mqtt_url, "losses")) as native,
        through(mqtt_proxy, "losses") as air,
    ):
        await place(air, "m").subscribe("Speed", heard.append)
        vehicle = place(native, "v")
        vehicle.announce("Speed", around(300.0))

        def reconnected(times: int) -> bool:
            return air.counters.reconnected == times

        def came(events: int) -> bool:
            return len(heard) == events

        for number in range(3):
            mqtt_proxy.cut()
            await eventually(partial(reconnected, number + 1))
            await works(air)
            vehicle.publish(Event("Speed", {"number": number}))
            await eventually(partial(came, number + 1))
        assert [one.parameters["number"] for one in heard] == [0, 1, 2]


async def test_a_connection_that_is_full_of_bad_packets_goes_on(mqtt_proxy: Proxy) -> None:
    async with FakeBroker() as broker, Air(AirSettings(broker.url)) as air:
        for byte in range(256):
            broker.send(bytes([byte & 0xF0 | 0x02, 2, 0, byte]) if byte >> 4 != 14 else b"")
        await eventually(lambda: air.healthy, what="it is there, or there again")
        await place(air, "m").subscribe("Speed", lambda _: None)
