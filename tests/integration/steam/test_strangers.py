"""What strangers, other airs and odd names do to an air: nothing."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from dataclasses import replace

import gmqtt
import pytest
from eventservices.errors import MalformedError, TooLargeError
from eventservices.stamp import Stamp
from eventservices.steam import (
    Air,
    AirSettings,
    Event,
    FixedLocation,
    Node,
    NodeSettings,
    Notification,
    Position,
    Term,
    around,
)
from eventservices.steam.codec import encode

SPEED = Event("Speed", {"license_no": "FES0001", "rate": 83.0})


def place(air: Air, name: str, range_m: float, lat: float = 50.0, lon: float = 11.0) -> Node:
    return air.node(NodeSettings(name, range_m), FixedLocation(lat, lon))


async def test_an_oversize_event_is_refused_before_it_is_sent(settings: AirSettings) -> None:
    async with Air(replace(settings, event_bytes=1000)) as air:
        vehicle = place(air, "v", 300.0)
        vehicle.announce("Blob", around(300.0))
        with pytest.raises(TooLargeError) as caught:
            vehicle.publish(Event("Blob", {"raw": bytes(1000)}))
        assert caught.value.limit_bytes == 1000
        assert vehicle.counters.transmitted == 0
        assert air.connected


@pytest.mark.parametrize(
    "subject", ["*", ">", "#", "a.b", "a b", "a/b", "$SYS", "ü\n\t", "x" * 255]
)
async def test_any_subject_makes_its_way(air: Air, subject: str) -> None:
    heard: list[Notification] = []
    vehicle, monitor = place(air, "v", 300.0), place(air, "m", 300.0)
    await monitor.subscribe(subject, heard.append)
    vehicle.announce(subject, around(300.0))
    vehicle.publish(Event(subject, {"rate": 1}))
    await air.probe()
    assert [one.subject for one in heard] == [subject]
    assert air.counters.reconnected == 0


async def test_a_foreign_message_is_set_aside_and_the_next_one_delivered(
    air: Air, settings: AirSettings
) -> None:
    heard: list[Notification] = []
    vehicle, monitor = place(air, "v", 300.0), place(air, "m", 300.0)
    await monitor.subscribe("Speed", heard.append)
    vehicle.announce("Speed", around(300.0))
    topic = air.topics.of("event", air.grid.cell(Position(50.0, 11.0)), "Speed")
    for payload in (b"", b"hello", b"\x91\xc0", bytes(100_000)):
        air.carrier("v").link.publish(topic, payload)
    vehicle.publish(SPEED)
    await air.probe()
    assert len(heard) == 1
    assert air.counters.malformed == 4
    assert [one.payload[:5] for one in air.set_aside] == [b"", b"hello", b"\x91\xc0", bytes(5)]


async def test_airs_of_other_names_hear_nothing(air: Air, settings: AirSettings) -> None:
    heard: list[Notification] = []
    async with Air(replace(settings, name="another")) as other:
        await place(other, "m", 300.0).subscribe("Speed", heard.append)
        vehicle = place(air, "v", 300.0)
        vehicle.announce("Speed", around(300.0))
        vehicle.publish(SPEED)
        await air.probe()
        await other.probe()
    assert not heard


async def test_small_packets_leave_at_once(air: Air) -> None:
    connection = air.carrier("v").link._connection
    assert connection is not None
    peer = connection._transport.get_extra_info("socket")
    assert peer.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_a_stranger_on_the_broker_does_no_harm(
    air: Air, settings: AirSettings, eventually: Callable[[Callable[[], bool]], Awaitable[None]]
) -> None:
    vehicle, monitor = place(air, "v", 300.0), place(air, "m", 300.0)
    heard: list[Notification] = []
    await monitor.subscribe("Speed", heard.append)
    stranger = gmqtt.Client("stranger")
    host, port = settings.url.removeprefix("mqtt://").split(":")
    await stranger.connect(host, int(port), version=4)
    topic = air.topics.of("event", air.grid.cell(Position(50.0, 11.0)), "Speed")
    stranger.publish(topic, "not ours", qos=1, retain=True)
    await eventually(lambda: air.counters.malformed == 1)
    await stranger.disconnect()
    vehicle.announce("Speed", around(300.0))
    vehicle.publish(SPEED)
    await air.probe()
    assert len(heard) == 1


@pytest.mark.parametrize("term", [Term("\ud800", "=", 1), Term("a", "=", "\ud800")])
async def test_text_that_cannot_be_sent_is_refused(air: Air, term: Term) -> None:
    with pytest.raises(MalformedError):
        air.node(NodeSettings("n", 300.0, label="\ud800"), FixedLocation(50.0, 11.0))
    node = air.node(NodeSettings("n", 300.0), FixedLocation(50.0, 11.0))
    with pytest.raises(MalformedError):
        await node.subscribe("Speed", lambda _: None, [term])
    assert node.subscriptions == []
    node.announce("Speed", around(300.0))
    with pytest.raises(MalformedError):
        node.publish(Event("Speed", {"licence": "\ud800"}))


async def test_an_event_as_large_as_allowed_makes_its_way(settings: AirSettings) -> None:
    heard: list[Notification] = []
    async with Air(replace(settings, event_bytes=1_000_000)) as air:
        vehicle, monitor = place(air, "v", 300.0), place(air, "m", 300.0)
        await monitor.subscribe("Blob", heard.append)
        vehicle.announce("Blob", around(300.0))
        for size in (0, 1, 100, 128, 16_300, 16_500, 262_144, 999_000):
            vehicle.publish(Event("Blob", {"raw": bytes(size)}))
        await air.probe(10.0)
    sizes = [len(one.parameters["raw"]) for one in heard]
    assert sizes == [0, 1, 100, 128, 16_300, 16_500, 262_144, 999_000]


async def test_what_a_stranger_has_the_broker_keep_is_not_heard_later(
    air: Air, settings: AirSettings
) -> None:
    heard: list[Notification] = []
    here, monitor = Position(50.0, 11.0), place(air, "m", 300.0)
    topic = air.topics.of("event", air.grid.cell(here), "Speed")
    old = Notification(Stamp("v", 1, 1, 0, "v"), "v", here, 300.0, around(300.0), "Speed", {})
    stranger = gmqtt.Client("keeper")
    host, port = settings.url.removeprefix("mqtt://").split(":")
    await stranger.connect(host, int(port), version=4)
    said = asyncio.Event()
    stranger.on_message = lambda *_: said.set()
    stranger.subscribe(topic)
    stranger.publish(topic, encode(old), qos=1, retain=True)
    await said.wait()  # live, to who had subscribed
    for _ in range(1000):  # until the broker brings it to who subscribes later
        subscription = await monitor.subscribe("Speed", heard.append)
        await air.probe()
        if air.counters.unclaimed:
            break
        monitor.unsubscribe(subscription)
    await stranger.disconnect()
    assert air.counters.unclaimed == 1
    assert monitor.counters.offered == len(heard) == 0
