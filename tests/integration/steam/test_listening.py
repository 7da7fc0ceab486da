"""Subscriptions over time: what comes before, while and after they hold."""

import asyncio
from dataclasses import replace

import pytest
from eventservices.errors import MalformedError, NotConnectedError
from eventservices.steam import (
    Air,
    AirSettings,
    Event,
    FixedLocation,
    LiveLocation,
    Node,
    NodeSettings,
    Notification,
    Term,
    around,
    between,
)


def place(air: Air, name: str, lat: float = 50.0) -> Node:
    return air.node(NodeSettings(name, 300.0), FixedLocation(lat, 11.0))


def speak(node: Node, *rates: float) -> None:
    node.announce("Speed", around(300.0))
    for rate in rates:
        node.publish(Event("Speed", {"rate": rate}))


async def test_what_is_asked_for_is_read_while_the_context_lasts(air: Air) -> None:
    vehicle, monitor = place(air, "v"), place(air, "m", 50.001)
    async with monitor.listen("Speed", [between("rate", 60.0, 90.0)]) as inbox:
        speak(vehicle, 50.0, 60.0, 83.0, 91.0)
        assert (await anext(inbox)).parameters == {"rate": 60.0}
        assert (await anext(inbox)).parameters == {"rate": 83.0}
        await air.probe()  # the last one has arrived, too
        assert len(monitor.subscriptions) == 1
    assert monitor.subscriptions == []
    speak(vehicle, 83.0)
    await air.probe()
    assert [one async for one in inbox] == []
    assert (monitor.counters.received, monitor.counters.filtered_content) == (2, 2)


async def test_reading_ends_when_the_node_leaves(air: Air) -> None:
    vehicle, monitor = place(air, "v"), place(air, "m")
    read: list[float] = []
    ready = asyncio.Event()

    async def reader() -> None:
        async with monitor.listen("Speed") as inbox:
            ready.set()
            read.extend([one.parameters["rate"] async for one in inbox])

    reading = asyncio.create_task(reader())
    await ready.wait()
    speak(vehicle, 1.0, 2.0)
    await air.probe()
    monitor.close()
    await reading
    assert read == [1.0, 2.0]


async def test_a_reader_that_is_slow_loses_the_oldest_and_knows(air: Air) -> None:
    vehicle, monitor = place(air, "v"), place(air, "m")
    async with monitor.listen("Speed", size=3) as inbox:
        speak(vehicle, *map(float, range(10)))
        await air.probe()
        assert inbox.dropped == 7
        assert [(await anext(inbox)).parameters["rate"] for _ in range(3)] == [7.0, 8.0, 9.0]


async def test_an_inbox_that_cannot_be_had_leaves_no_subscription(air: Air) -> None:
    monitor = place(air, "m")
    with pytest.raises(MalformedError):
        async with monitor.listen("Speed", size=0):
            pass
    with pytest.raises(MalformedError):
        async with monitor.listen("Speed", [Term("rate", "<", True)]):
            pass
    assert monitor.subscriptions == []


async def test_subjects_are_told_apart_by_case(air: Air) -> None:
    heard: list[str] = []
    vehicle, monitor = place(air, "v"), place(air, "m")
    await monitor.subscribe("Speed", lambda one: heard.append(one.subject))
    for subject in ("speed", "Speed", "SPEED", "Speed "):
        vehicle.announce(subject, around(300.0))
        vehicle.publish(Event(subject))
    await air.probe()
    assert heard == ["Speed"]


async def test_who_subscribes_later_gets_no_older_event(air: Air) -> None:
    heard: list[Notification] = []
    vehicle, monitor = place(air, "v"), place(air, "m")
    speak(vehicle, 1.0)
    await air.probe()
    await monitor.subscribe("Speed", heard.append)
    speak(vehicle, 2.0)
    await air.probe()
    assert [one.parameters["rate"] for one in heard] == [2.0]


async def test_a_subscription_holds_wherever_its_node_goes(air: Air) -> None:
    heard: list[Notification] = []
    track = LiveLocation(hold_s=1e6)
    now_us = air.clock_us()
    track.update(now_us, 50.0, 11.0)
    mover = air.node(NodeSettings("m", 300.0), track)
    signs = [place(air, f"s{number}", 50.0 + number * 0.01) for number in range(4)]
    await mover.subscribe("Speed", heard.append)
    for number, lat in enumerate((50.0, 50.01, 50.02, 50.03), 1):
        track.update(now_us + number, lat, 11.0)
        await air.look()
        for sign in signs:
            speak(sign, lat)
        await air.probe()
    assert [one.node for one in heard] == ["s0", "s1", "s2", "s3"]


async def test_one_farewell_silences_one_producer_only(air: Air) -> None:
    heard: list[Notification] = []
    one, other, monitor = place(air, "v"), place(air, "w"), place(air, "m")
    await monitor.subscribe("Speed", heard.append)
    speak(one, 1.0)
    speak(other, 2.0)
    one.unannounce("Speed")
    other.publish(Event("Speed", {"rate": 3.0}))
    await air.probe()
    assert [one.parameters["rate"] for one in heard] == [1.0, 2.0, 3.0]


async def test_what_came_is_counted_by_connection_and_by_node(air: Air) -> None:
    vehicle = place(air, "v")
    for number in range(5):
        await place(air, f"m{number}").subscribe("Speed", lambda _: None)
    await place(air, "away", 50.0028).subscribe("Speed", lambda _: None)
    speak(vehicle, 1.0, 2.0)
    await air.probe()
    assert air.delivered == 2
    assert vehicle.counters.offered == 0
    assert air.counters.offered == 12
    assert (air.counters.received, air.counters.out_of_range) == (10, 2)


async def test_a_look_that_is_late_is_counted(settings: AirSettings) -> None:
    now_us = 0
    track = LiveLocation(hold_s=1e6)
    slow = replace(settings, position_interval_s=60.0, subscription_time_s=0.5, v_max_mps=10.0)
    async with Air(slow, lambda: now_us) as air:
        track.update(now_us, 50.0, 11.0)
        mover = air.node(NodeSettings("m", 300.0), track)
        await mover.subscribe("Speed", lambda _: None)
        for seconds, late in ((0.0, 0), (60.0, 0), (120.5, 0), (181.1, 1), (241.0, 1)):
            now_us = round(seconds * 1e6)
            track.update(now_us + 1, 50.0 + seconds * 1e-5, 11.0)
            await air.look()
            assert mover.counters.late == late


async def test_a_node_that_left_cannot_subscribe_unheard(air: Air) -> None:
    monitor = place(air, "m")
    monitor.close()
    with pytest.raises(NotConnectedError, match="has left the air"):
        await monitor.subscribe("Speed", lambda _: None)
    with pytest.raises(NotConnectedError, match="has left the air"):
        monitor.announce("Speed", around(300.0))
    with pytest.raises(NotConnectedError, match="has left the air"):
        monitor.publish(Event("Speed"))
    with pytest.raises(NotConnectedError, match="has left the air"):
        async with monitor.listen("Speed"):
            pass
