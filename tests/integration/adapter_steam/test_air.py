"""What crosses the air between adapters and native nodes."""

from adapter_steam.observed import LABEL
from eventservices.steam import Event, Notification, Observer, Sighting, around
from fes.control import CONTROL_SUBJECT
from fes.eventlog import Decision
from fes.link.messages import Announce, Subscribe, Unannounce, Unsubscribe
from fes.model import Event as FesEvent
from fes.model import binary
from fes.testing.conformance.adapter import publication
from fes.testing.eventually import eventually
from integration.adapter_steam.onair import OnAir

SPEED = FesEvent.of("Speed", license_no="FES0001", rate=83.0)


def near(event: FesEvent, radius_m: float) -> FesEvent:
    return event.with_attributes({"Proximity": f"0,1,0,0,{radius_m}"})


async def test_a_publication_reaches_the_native_nodes_in_range_only(on_air: OnAir) -> None:
    heard: dict[str, list[Notification]] = {"near": [], "far": [], "deaf": []}
    for name, north_m, range_m in (("near", 140.0, 300.0), ("far", 160.0, 300.0), ("deaf", 60, 50)):
        await on_air.node(name, north_m, range_m).subscribe("Speed", heard[name].append)
    gateway = await on_air.gateway(on_air.adapter("g", range_m=150))
    await gateway.order(Announce(1, binary.encode(SPEED)))

    await gateway.order(publication(SPEED, 1))

    await eventually(lambda: heard["near"])
    await on_air.air.probe()
    assert heard["near"][0].parameters == {"license_no": "FES0001", "rate": 83.0}
    assert heard["near"][0].node == "g.steam"
    assert not heard["far"]
    assert not heard["deaf"]


async def test_an_events_proximity_limits_who_hears_it(on_air: OnAir) -> None:
    heard: list[Notification] = []
    await on_air.node("n", 100.0).subscribe("Speed", heard.append)
    gateway = await on_air.gateway(on_air.adapter("g"))
    await gateway.order(Announce(1, binary.encode(near(SPEED, 150))))

    await gateway.order(publication(near(SPEED, 50), 1))
    await gateway.order(publication(SPEED, 2), publication(near(SPEED, 200), 3))

    await eventually(lambda: len(heard) == 2)
    assert [(one.stamp.sequence, one.proximity) for one in heard] == [
        (2, around(150.0)),
        (3, around(200.0)),
    ]


async def test_an_event_without_proximity_has_none_on_the_other_side(on_air: OnAir) -> None:
    one = await on_air.gateway(on_air.adapter("one"))
    other = await on_air.gateway(on_air.adapter("other"))
    await one.order(Subscribe(1, "Speed", 1))
    await other.order(Announce(1, binary.encode(near(SPEED, 100))))

    await other.order(publication(SPEED, 1), publication(near(SPEED, 120), 2))

    await eventually(lambda: len(one.heard) == 2)
    assert one.events() == [SPEED, near(SPEED, 120)]


async def test_a_native_producers_proximity_becomes_an_attribute(on_air: OnAir) -> None:
    gateway = await on_air.gateway(on_air.adapter("g"))
    await gateway.order(Subscribe(1, "Speed", 1))
    vehicle = on_air.node("v")
    vehicle.announce("Speed", around(250.0))

    vehicle.publish(Event("Speed", {"rate": 1.0}))

    await eventually(lambda: gateway.heard)
    assert gateway.events()[0].attribute("Proximity") == "0,1,0.0,0.0,250.0"


async def test_an_event_that_several_native_subscriptions_accept_is_heard_once(
    on_air: OnAir,
) -> None:
    gateway = await on_air.gateway(on_air.adapter("g"))
    await gateway.order(
        Subscribe(1, "subject = 'Speed' AND (rate > 10 OR axles > 1)", 1),
        Subscribe(2, "subject = 'Speed' AND rate > 20", 2),
    )
    vehicle = on_air.node("v")
    vehicle.announce("Speed", around(250.0))

    for rate in (30.0, 15.0, 30.0):
        vehicle.publish(Event("Speed", {"rate": rate, "axles": 2}))

    await eventually(lambda: len(gateway.heard) == 3)
    assert [one.matched for one in gateway.heard] == [(1, 2), (1,), (1, 2)]
    assert gateway.runtime.inbound.counters["received"] == 3


async def test_content_is_filtered_before_the_adapter_takes_it(on_air: OnAir) -> None:
    adapter = on_air.adapter("g")
    gateway = await on_air.gateway(adapter)
    await gateway.order(Subscribe(1, "subject = 'Speed' AND rate > 70", 1))
    vehicle = on_air.node("v")
    vehicle.announce("Speed", around(250.0))

    for rate in (50.0, 80.0):
        vehicle.publish(Event("Speed", {"rate": rate}))

    await eventually(lambda: gateway.heard)
    assert gateway.runtime.inbound.counters["received"] == 1
    assert adapter.counters["filtered_content"] == 1


async def test_unsubscribing_leaves_nothing_at_the_broker(on_air: OnAir) -> None:
    gateway = await on_air.gateway(on_air.adapter("g"))
    before = on_air.topics()
    await gateway.order(
        Subscribe(1, "subject IN ('Speed', 'Position') AND (rate > 1 OR axles > 1)", 1),
        Subscribe(2, "Speed", 2),
    )
    assert {topic.rpartition(".")[2] for topic in on_air.topics()} == {
        CONTROL_SUBJECT,
        "Speed",
        "Position",
    }

    await gateway.order(Unsubscribe(1, 3))
    await eventually(lambda: not any("Position" in topic for topic in on_air.topics()))
    assert any("Speed" in topic for topic in on_air.topics())
    await gateway.order(Unsubscribe(2, 4))

    await eventually(lambda: on_air.topics() == before)


async def test_stopping_leaves_nothing_and_says_farewell(on_air: OnAir) -> None:
    seen: list[Sighting] = []
    async with Observer(on_air.air, seen.append, events=False) as observer:
        adapter = on_air.adapter("g")
        gateway = await on_air.gateway(adapter)
        await gateway.order(Subscribe(1, "Speed", 1), Announce(1, binary.encode(SPEED)))
        await eventually(lambda: len(observer.in_force) == 3)
        beacons = observer.in_force
        assert {(one.sender.node, one.sender.label) for one in beacons} == {("g.steam", LABEL)}

        await gateway.runtime.stop()

        await eventually(lambda: not observer.in_force)
    assert not any(one.silent for one in seen)
    assert adapter.counters == {}
    await eventually(lambda: not on_air.topics())


async def test_a_subject_announced_twice_is_withdrawn_with_the_last(on_air: OnAir) -> None:
    gateway = await on_air.gateway(on_air.adapter("g"))
    await gateway.order(
        Announce(1, binary.encode(near(SPEED, 50))), Announce(2, binary.encode(near(SPEED, 80)))
    )
    await gateway.order(Unannounce(2))
    await gateway.order(publication(SPEED, 1))
    await eventually(lambda: gateway.logged(Decision.PUBLISHED))

    await gateway.order(Unannounce(1))
    await gateway.order(publication(SPEED, 2))
    await eventually(lambda: gateway.logged(Decision.DROPPED))
    assert "not announced" in gateway.logged(Decision.DROPPED)[0].reason


async def test_a_control_event_that_is_none_is_set_aside(on_air: OnAir) -> None:
    gateway = await on_air.gateway(on_air.adapter("g"))
    vandal = on_air.node("v")
    vandal.announce(CONTROL_SUBJECT, around(250.0))

    vandal.publish(Event(CONTROL_SUBJECT, {"Text01": "{}"}))

    await eventually(lambda: gateway.runtime.inbound.aside)
    reason, raw = gateway.runtime.inbound.aside[0]
    assert reason.startswith("control event: ")
    assert b"Text01" in raw
    assert not gateway.controls


async def test_an_event_whose_types_are_a_lie_is_set_aside(on_air: OnAir) -> None:
    gateway = await on_air.gateway(on_air.adapter("g"))
    await gateway.order(Subscribe(1, "Speed", 1))
    vandal = on_air.node("v")
    vandal.announce("Speed", around(250.0))

    vandal.publish(Event("Speed", {"rate": 1.0}, {"FES_Types": "{"}))
    vandal.publish(Event("Speed", {"rate": 2.0}))

    await eventually(lambda: gateway.heard)
    assert gateway.runtime.inbound.counters["malformed"] == 1
    assert [event.parameter("rate") for event in gateway.events()] == [2.0]
