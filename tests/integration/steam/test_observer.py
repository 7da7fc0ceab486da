import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

from eventservices.steam import (
    Air,
    AirSettings,
    Announcement,
    Event,
    FixedLocation,
    Membership,
    Node,
    NodeSettings,
    Observer,
    Sighting,
    Term,
    around,
)
from integration.steam.brokers import Broker

Eventually = Callable[[Callable[[], bool]], Awaitable[None]]


def place(air: Air, name: str, lat: float = 50.0) -> Node:
    return air.node(NodeSettings(name, 300.0, label=f"label of {name}"), FixedLocation(lat, 11.0))


def short(sightings: list[Sighting]) -> list[tuple[str, str]]:
    return [(one.kind, one.message.subject) for one in sightings]


async def test_an_observer_sees_what_happens_in_order(air: Air) -> None:
    seen: list[Sighting] = []
    async with Observer(air, seen.append):
        vehicle, monitor = place(air, "v"), place(air, "m")
        vehicle.announce("Speed", around(300.0))
        subscription = await monitor.subscribe("Speed", lambda _: None, [Term("rate", ">", 70)])
        vehicle.publish(Event("Speed", {"rate": 83.0}))
        monitor.unsubscribe(subscription)
        vehicle.unannounce("Speed")
        await air.probe()
    assert short(seen) == [
        ("announcement", "Speed"),
        ("join", "Speed"),
        ("event", "Speed"),
        ("leave", "Speed"),
        ("unannouncement", "Speed"),
    ]
    announcement, membership = seen[0].message, seen[1].message
    assert isinstance(announcement, Announcement)
    assert announcement.sender.label == "label of v"
    assert announcement.proximity == around(300.0)
    assert isinstance(membership, Membership)
    assert membership.content == (Term("rate", ">", 70),)


async def test_a_late_observer_sees_what_is_in_force_at_the_next_beacon(
    air: Air, eventually: Eventually
) -> None:
    seen: list[Sighting] = []
    vehicle, monitor = place(air, "v"), place(air, "m")
    vehicle.announce("Speed", around(300.0))
    await monitor.subscribe("Speed", lambda _: None)
    await air.probe()
    async with Observer(air, seen.append) as observer:
        await eventually(lambda: len(seen) == 2)
        sent = air.beacons_sent
        await eventually(lambda: air.beacons_sent > sent + 4)
        assert sorted(short(seen)) == [("announcement", "Speed"), ("join", "Speed")]
        assert len(observer.in_force) == 2


async def test_an_announcement_that_changes_is_seen_again(air: Air) -> None:
    seen: list[Sighting] = []
    async with Observer(air, seen.append, events=False):
        vehicle = place(air, "v")
        for radius_m in (300.0, 300.0, 200.0):
            vehicle.announce("Speed", around(radius_m))
        vehicle.publish(Event("Speed", {"rate": 1}))
        await air.probe()
    areas = [one.message.proximity for one in seen if isinstance(one.message, Announcement)]
    assert areas == [around(300.0), around(200.0)]
    assert len(seen) == 2


async def test_an_observer_with_a_place_sees_only_its_surroundings(air: Air) -> None:
    seen: list[Sighting] = []
    place_of_observer = FixedLocation(50.0, 11.0)
    async with Observer(air, seen.append, location=place_of_observer, range_m=150.0):
        for name, lat in (("near", 50.001), ("far", 50.002)):
            node = place(air, name, lat)
            node.announce(name, around(300.0))
            await node.subscribe(name, lambda _: None)
            node.publish(Event(name))
        narrow = place(air, "narrow", 50.001)
        narrow.announce("narrow", around(10.0))
        await air.probe()
    assert short(seen) == [("announcement", "near"), ("join", "near"), ("event", "near")]


async def test_a_node_that_falls_silent_is_missed(
    air: Air, settings: AirSettings, eventually: Eventually
) -> None:
    seen: list[Sighting] = []
    async with Observer(air, seen.append):
        other = Air(replace(settings, client_id="silent"))
        await other.open()
        place(other, "v").announce("Speed", around(300.0))
        await eventually(lambda: len(seen) == 1)
        await other._rounds.close()
        for carrier in other._carriers:
            await carrier.link.close()
        await eventually(lambda: len(seen) == 2)
        await other.close()
    assert short(seen)[1] == ("unannouncement", "Speed")
    assert seen[1].silent
    assert not seen[0].silent


async def test_a_node_that_closes_says_farewell(air: Air) -> None:
    seen: list[Sighting] = []
    async with Observer(air, seen.append, events=False):
        async with place(air, "v") as vehicle:
            vehicle.announce("Speed", around(300.0))
            await vehicle.subscribe("Alarm", lambda _: None)
        await air.probe()
    assert short(seen)[2:] == [("unannouncement", "Speed"), ("leave", "Alarm")]
    assert not any(one.silent for one in seen)


async def test_a_node_beside_an_observer_of_everything_still_hears_once(air: Air) -> None:
    heard: list[object] = []
    async with Observer(air, lambda _: None):
        vehicle, monitor = place(air, "v"), place(air, "m")
        await monitor.subscribe("Speed", heard.append)
        vehicle.announce("Speed", around(300.0))
        vehicle.publish(Event("Speed", {"rate": 83.0}))
        await air.probe()
    assert len(heard) == 1


async def test_a_callback_that_raises_does_not_blind_the_observer(air: Air) -> None:
    seen: list[Sighting] = []

    def fail_once(sighting: Sighting) -> None:
        seen.append(sighting)
        if len(seen) == 1:
            raise RuntimeError("callback")

    async with Observer(air, fail_once) as observer:
        vehicle = place(air, "v")
        vehicle.announce("Speed", around(300.0))
        vehicle.announce("Alarm", around(300.0))
        await air.probe()
        assert observer.callback_errors == 1
    assert len(seen) == 2


async def test_nobody_is_missed_because_the_broker_was_away(
    own_broker: Broker, eventually: Eventually
) -> None:
    seen: list[Sighting] = []
    settings = AirSettings(own_broker.mqtt_url, beacon_period_s=0.1)
    async with Air(settings) as air, Observer(air, seen.append):
        place(air, "v").announce("Speed", around(300.0))
        await eventually(lambda: len(seen) == 1)
        own_broker.kill()
        await eventually(lambda: not air.connected)
        await asyncio.sleep(10 * settings.beacon_period_s)  # who is heard would be missed
        own_broker.start()
        await eventually(lambda: air.healthy)
        sent = air.beacons_sent
        await eventually(lambda: air.beacons_sent > sent + 3)
        assert short(seen) == [("announcement", "Speed")]
