from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from eventservices.errors import RefusedError
from eventservices.steam import (
    Air,
    AirSettings,
    Circle,
    Discovery,
    FixedLocation,
    Found,
    LiveLocation,
    Node,
    NodeSettings,
    Rectangle,
    around,
)
from eventservices.steam.discovery import MAX_FOLLOWERS

Eventually = Callable[[Callable[[], bool]], Awaitable[None]]

HERE = FixedLocation(50.0, 11.0)


def place(air: Air, name: str, lat: float = 50.0, label: str = "") -> Node:
    return air.node(NodeSettings(name, 300.0, label=label), FixedLocation(lat, 11.0))


def short(found: list[Found]) -> list[tuple[str, str, str]]:
    return [(one.kind, one.node, one.subject) for one in found]


async def test_a_follower_is_told_of_every_change(air: Air) -> None:
    found: list[Found] = []
    async with Discovery(air, HERE, 300.0) as discovery:
        discovery.follow(found.append)
        vehicle = place(air, "v", 50.001, "car")
        vehicle.announce("Speed", around(300.0))
        vehicle.announce("Speed", around(300.0))
        vehicle.announce("Ice", Rectangle(True, 0.0, 0.0, 400.0, 300.0))
        vehicle.announce("Speed", around(200.0))
        vehicle.unannounce("Speed")
        vehicle.close()
        await air.probe()
    assert short(found) == [
        ("announced", "v", "Speed"),
        ("announced", "v", "Ice"),
        ("announced", "v", "Speed"),
        ("unannounced", "v", "Speed"),
        ("unannounced", "v", "Ice"),
    ]
    assert [one.proximity for one in found[:2]] == [
        around(300.0),
        Rectangle(True, 0.0, 0.0, 400.0, 300.0),
    ]
    assert found[2].proximity == around(200.0)
    assert (found[0].label, found[0].position.lat) == ("car", 50.001)


async def test_who_is_present_is_replayed_to_a_new_follower(air: Air) -> None:
    early: list[Found] = []
    late: list[Found] = []
    async with Discovery(air, HERE, 300.0) as discovery:
        discovery.follow(early.append)
        for name in ("v", "w", "x"):
            place(air, name).announce("Speed", around(300.0))
        await air.probe()
        discovery.follow(late.append)
        assert late == early == discovery.present
        assert len(late) == 3
        discovery.unfollow(early.append)
        place(air, "y").announce("Speed", around(300.0))
        await air.probe()
    assert (len(early), len(late)) == (3, 4)


async def test_a_discovery_that_is_opened_late_has_settled_after_a_beacon(air: Air) -> None:
    for number in range(20):
        place(air, f"v{number}").announce("Speed", around(300.0))
    await air.probe()
    async with Discovery(air, HERE, 300.0) as discovery:
        await discovery.settled()
        assert len(discovery.present) == 20


async def test_only_producers_whose_beacons_reach_the_place_are_found(air: Air) -> None:
    async with Discovery(air, HERE, 150.0) as discovery, Discovery(air) as everywhere:
        place(air, "near", 50.001).announce("Speed", around(300.0))
        place(air, "far", 50.002).announce("Speed", around(300.0))
        place(air, "narrow", 50.001).announce("Speed", around(100.0))
        elsewhere = Circle(False, 51.0, 11.0, 300.0)
        place(air, "elsewhere", 50.001).announce("Speed", elsewhere)
        await air.probe()
        assert [one.node for one in discovery.present] == ["near"]
        assert len(everywhere.present) == 4


async def test_a_label_keeps_nodes_out_of_sight(air: Air) -> None:
    found: list[Found] = []
    async with Discovery(air, HERE, 300.0, ignored_labels={"bridge"}) as discovery:
        discovery.follow(found.append)
        bridge = place(air, "b", label="bridge")
        bridge.announce("Speed", around(300.0))
        place(air, "v", label="bridges").announce("Speed", around(300.0))
        bridge.close()
        await air.probe()
        assert short(found) == [("announced", "v", "Speed")]
        assert discovery.ignored >= 2


async def test_a_producer_that_falls_silent_expires(
    air: Air, settings: AirSettings, eventually: Eventually
) -> None:
    found: list[Found] = []
    async with Discovery(air, HERE, 300.0) as discovery:
        discovery.follow(found.append)
        other = Air(replace(settings, client_id="silent"))
        await other.open()
        place(other, "v").announce("Speed", around(300.0))
        await eventually(lambda: len(found) == 1)
        await other._rounds.close()
        for carrier in other._carriers:
            await carrier.link.close()
        await eventually(lambda: len(found) == 2)
        await other.close()
        assert discovery.present == []
    assert short(found) == [("announced", "v", "Speed"), ("expired", "v", "Speed")]


async def test_a_producer_that_drives_past_is_found_and_expires(
    air: Air, eventually: Eventually
) -> None:
    found: list[Found] = []
    track = LiveLocation(hold_s=1e6)
    track.update(1, 50.01, 11.0)
    async with Discovery(air, HERE, 300.0) as discovery:
        discovery.follow(found.append)
        vehicle = air.node(NodeSettings("v", 300.0), track)
        vehicle.announce("Speed", around(300.0))
        await air.probe()
        assert found == []
        track.update(air.clock_us(), 50.001, 11.0)
        await eventually(lambda: [one.kind for one in found] == ["announced"])
        track.update(air.clock_us(), 49.99, 11.0)
        await eventually(lambda: [one.kind for one in found] == ["announced", "expired"])


async def test_a_place_that_moves_finds_what_it_comes_to(air: Air, eventually: Eventually) -> None:
    track = LiveLocation(hold_s=1e6)
    track.update(air.clock_us(), 50.1, 11.0)
    place(air, "v").announce("Speed", around(300.0))
    async with Discovery(air, track, 300.0) as discovery:
        await discovery.settled()
        assert discovery.present == []
        track.update(air.clock_us(), 50.001, 11.0)
        await air.look()
        await eventually(lambda: len(discovery.present) == 1)


async def test_a_follower_that_raises_harms_no_other(air: Air) -> None:
    found: list[Found] = []

    def fail(_found: Found) -> None:
        raise RuntimeError("follower")

    async with Discovery(air, HERE, 300.0) as discovery:
        discovery.follow(fail)
        discovery.follow(found.append)
        place(air, "v").announce("Speed", around(300.0))
        await air.probe()
        assert discovery.callback_errors == 1
    assert len(found) == 1


async def test_announcements_and_followers_are_bounded(air: Air) -> None:
    async with Discovery(air, HERE, 300.0, limit=2) as discovery:
        for number in range(5):
            place(air, f"v{number}").announce("Speed", around(300.0))
        await air.probe()
        assert len(discovery.present) == 2
        assert discovery.not_kept >= 3
        told: list[list[Found]] = [[] for _ in range(MAX_FOLLOWERS + 1)]
        followers = [one.append for one in told]
        for follower in followers[1:]:
            discovery.follow(follower)
        with pytest.raises(RefusedError, match=f"at most {MAX_FOLLOWERS}"):
            discovery.follow(followers[0])
        discovery.unfollow(followers[1])
        discovery.follow(followers[0])


async def test_closing_twice_is_harmless_and_ends_it(air: Air) -> None:
    found: list[Found] = []
    discovery = Discovery(air, HERE, 300.0)
    await discovery.open()
    discovery.follow(found.append)
    await discovery.close()
    await discovery.close()
    place(air, "v").announce("Speed", around(300.0))
    await air.probe()
    assert found == []
    assert all("beacon" not in topic for topic in air.carrier("observer").link._wanted)
