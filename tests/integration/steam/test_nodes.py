import asyncio
from dataclasses import replace

import pytest
from eventservices.errors import (
    MalformedError,
    NotConnectedError,
    RefusedError,
)
from eventservices.stamp import Stamp
from eventservices.steam import (
    Air,
    AirSettings,
    Circle,
    Event,
    EventType,
    Field,
    FixedLocation,
    LiveLocation,
    Node,
    NodeSettings,
    Notification,
    Observer,
    Sighting,
    Term,
    around,
)

SPEED = Event("Speed", {"license_no": "FES0001", "rate": 83.0})


def place(air: Air, name: str, range_m: float, lat: float = 50.0, lon: float = 11.0) -> Node:
    return air.node(NodeSettings(name, range_m), FixedLocation(lat, lon))


async def test_a_node_in_range_hears_what_it_asked_for(air: Air) -> None:
    heard: list[Notification] = []
    vehicle, monitor = place(air, "v", 300.0), place(air, "m", 150.0, 50.001)
    await monitor.subscribe("Speed", heard.append, [Term("rate", ">", 70.0)])
    vehicle.announce("Speed", around(300.0))
    stamp = vehicle.publish(SPEED, time_us=17)
    vehicle.publish(replace(SPEED, parameters={"license_no": "FES0001", "rate": 70.0}))
    await air.probe()
    assert [one.stamp for one in heard] == [stamp]
    assert heard[0].parameters == SPEED.parameters
    assert (heard[0].time_us, heard[0].node, heard[0].range_m) == (17, "v", 300.0)
    assert monitor.counters.filtered_content == 1
    assert (vehicle.counters.transmitted, monitor.counters.received) == (2, 1)


@pytest.mark.parametrize(("vehicle_m", "monitor_m"), [(300.0, 100.0), (100.0, 300.0)])
async def test_the_smaller_of_both_radio_ranges_decides(
    air: Air, vehicle_m: float, monitor_m: float
) -> None:
    heard: list[Notification] = []
    vehicle, monitor = place(air, "v", vehicle_m), place(air, "m", monitor_m, 50.001)
    await monitor.subscribe("Speed", heard.append)
    vehicle.announce("Speed", around(1000.0))
    vehicle.publish(SPEED)
    await air.probe()
    assert not heard
    assert monitor.counters.out_of_range == 1


async def test_an_event_is_not_heard_outside_its_proximity(air: Air) -> None:
    heard: list[Notification] = []
    vehicle, monitor = place(air, "v", 300.0), place(air, "m", 300.0, 50.001)
    await monitor.subscribe("Speed", heard.append)
    vehicle.announce("Speed", around(50.0))
    vehicle.publish(SPEED)
    narrow = replace(SPEED, proximity=Circle(False, 50.001, 11.0, 1.0))
    wanted = vehicle.publish(narrow)
    await air.probe()
    assert [one.stamp for one in heard] == [wanted]
    assert monitor.counters.outside_proximity == 1


async def test_publishing_needs_an_announcement(air: Air) -> None:
    vehicle = place(air, "v", 300.0)
    with pytest.raises(RefusedError, match="'Speed' was not announced"):
        vehicle.publish(SPEED)
    vehicle.announce("Speed", around(300.0))
    assert vehicle.publish(SPEED) is not None
    vehicle.unannounce("Speed")
    with pytest.raises(RefusedError):
        vehicle.publish(SPEED)


async def test_a_node_does_not_hear_itself(air: Air) -> None:
    own: list[Notification] = []
    others: list[Notification] = []
    vehicle, monitor = place(air, "v", 300.0), place(air, "m", 300.0)
    await vehicle.subscribe("Speed", own.append)
    await monitor.subscribe("Speed", others.append)
    vehicle.announce("Speed", around(300.0))
    vehicle.publish(SPEED)
    await air.probe()
    assert (len(own), len(others)) == (0, 1)


async def test_a_repeated_identity_is_suppressed_for_each_node(air: Air) -> None:
    heard: dict[str, list[Notification]] = {"m": [], "n": []}
    stamp = Stamp("cns-v/can", 7, 1, 1_000_000, "cns-v", ("steam-x",))
    senders = [place(air, name, 300.0) for name in ("v", "w")]
    for name, notifications in heard.items():
        await place(air, name, 300.0).subscribe("Speed", notifications.append)
    for sender in senders:
        sender.announce("Speed", around(300.0))
        assert sender.publish(SPEED, stamp=stamp) == stamp
    await air.probe()
    assert [[one.stamp for one in part] for part in heard.values()] == [[stamp], [stamp]]
    assert air.counters.suppressed == 2


async def test_an_identity_that_was_out_of_range_is_heard_from_nearby(air: Air) -> None:
    heard: list[Notification] = []
    stamp = Stamp("can", 7, 1, 1_000_000, "cns-v")
    far, near = place(air, "far", 300.0, 50.002), place(air, "near", 300.0)
    monitor = place(air, "m", 150.0)
    await monitor.subscribe("Speed", heard.append)
    for sender in (far, near):
        sender.announce("Speed", around(300.0))
        sender.publish(SPEED, stamp=stamp)
    await air.probe()
    assert [one.node for one in heard] == ["near"]
    assert (monitor.counters.out_of_range, monitor.counters.suppressed) == (1, 0)


async def test_each_accepting_subscription_of_a_node_is_called_once(air: Air) -> None:
    calls: list[str] = []
    vehicle, monitor = place(air, "v", 300.0), place(air, "m", 300.0)
    await monitor.subscribe("Speed", lambda _: calls.append("all"))
    fast = await monitor.subscribe(
        "Speed", lambda _: calls.append("fast"), [Term("rate", ">", 70.0)]
    )
    await monitor.subscribe("Speed", lambda _: calls.append("slow"), [Term("rate", "<", 70.0)])
    vehicle.announce("Speed", around(300.0))
    vehicle.publish(SPEED)
    await air.probe()
    assert calls == ["all", "fast"]
    monitor.unsubscribe(fast)
    monitor.unsubscribe(fast)
    vehicle.publish(SPEED)
    await air.probe()
    assert calls == ["all", "fast", "all"]
    assert monitor.counters.received == 2


async def test_a_callback_that_raises_harms_nobody(air: Air) -> None:
    heard: list[Notification] = []

    def fail(_notification: Notification) -> None:
        raise RuntimeError("callback")

    vehicle, monitor = place(air, "v", 300.0), place(air, "m", 300.0)
    await monitor.subscribe("Speed", fail)
    await monitor.subscribe("Speed", heard.append)
    vehicle.announce("Speed", around(300.0))
    for _ in range(2):
        vehicle.publish(SPEED)
    await air.probe()
    assert len(heard) == 2
    assert monitor.counters.callback_errors == 2


async def test_without_a_position_nothing_is_published_or_heard(air: Air) -> None:
    heard: list[Notification] = []
    lost, there = LiveLocation(), LiveLocation()
    there.update(1_000_000, 50.0, 11.0)
    vehicle = air.node(NodeSettings("v", 300.0), there)
    monitor = air.node(NodeSettings("m", 300.0), lost)
    witness = place(air, "w", 300.0)
    await monitor.subscribe("Speed", heard.append)
    await witness.subscribe("Speed", heard.append)
    vehicle.announce("Speed", around(300.0))
    assert vehicle.publish(SPEED, time_us=999_999) is None
    assert vehicle.publish(SPEED, time_us=1_000_000) is not None
    await air.probe()
    assert (vehicle.counters.unplaced, vehicle.counters.transmitted) == (1, 1)
    assert len(heard) == 1
    lost.update(2_000_000, 50.0, 11.0)
    await air.probe()
    assert monitor.counters.received == 0


async def test_an_event_must_follow_the_layout_announced(air: Air) -> None:
    vehicle = place(air, "v", 300.0)
    vehicle.announce(EventType("Speed", (Field("rate", "double"),)), around(300.0))
    with pytest.raises(MalformedError):
        vehicle.publish(SPEED)
    assert vehicle.publish(Event("Speed", {"rate": 1.0})) is not None


async def test_nodes_of_one_process_share_a_subscription_and_its_topics(air: Air) -> None:
    heard: list[Notification] = []
    monitors = [place(air, f"m{number}", 300.0) for number in range(50)]
    for monitor in monitors:
        await monitor.subscribe("Speed", heard.append)
    topics = len(air.carrier("m").link._wanted)
    assert topics <= 1 + 12
    vehicle = place(air, "v", 300.0)
    vehicle.announce("Speed", around(300.0))
    vehicle.publish(SPEED)
    await air.probe()
    assert len(heard) == 50
    assert all(one is heard[0] for one in heard)
    for monitor in monitors:
        monitor.close()
    assert len(air.carrier("m").link._wanted) == 1


async def test_nodes_on_several_connections_hear_each_other(settings: AirSettings) -> None:
    heard: list[str] = []
    async with Air(replace(settings, connections=4)) as air:
        nodes = [place(air, f"n{number}", 300.0) for number in range(16)]
        assert len({id(air.carrier(node.name).link) for node in nodes}) == 4
        for node in nodes:

            def hear(_: Notification, name: str = node.name) -> None:
                heard.append(name)

            await node.subscribe("Speed", hear)
        nodes[0].announce("Speed", around(300.0))
        nodes[0].publish(SPEED)
        await air.probe()
        await air.probe()
        assert sorted(heard) == sorted(node.name for node in nodes[1:])


async def test_a_name_is_given_once(air: Air) -> None:
    async with place(air, "v", 300.0):
        with pytest.raises(RefusedError, match="'v'"):
            place(air, "v", 300.0)
    place(air, "v", 300.0)


async def test_the_sum_of_counters_outlives_the_nodes(air: Air) -> None:
    async with place(air, "v", 300.0) as vehicle:
        vehicle.announce("Speed", around(300.0))
        vehicle.publish(SPEED)
    assert air.counters.transmitted == 1


async def test_events_of_a_moment_arrive_in_order(air: Air) -> None:
    heard: list[Notification] = []
    vehicle, monitor = place(air, "v", 300.0), place(air, "m", 300.0)
    await monitor.subscribe("Speed", heard.append)
    vehicle.announce("Speed", around(300.0))
    for _ in range(2000):
        vehicle.publish(SPEED)
        await air.drain()
    await air.probe()
    assert [one.stamp.sequence for one in heard] == list(range(1, 2001))


async def test_a_node_that_leaves_while_it_subscribes_is_told_so(air: Air) -> None:
    seen: list[Sighting] = []
    async with Observer(air, seen.append):
        node = air.node(NodeSettings("leaving", 300.0), FixedLocation(50.0, 11.0))
        subscribing = asyncio.create_task(node.subscribe("Speed", lambda _: None))
        await asyncio.sleep(0)
        node.close()
        with pytest.raises(NotConnectedError):
            await subscribing
        await air.probe()
    assert seen == []
