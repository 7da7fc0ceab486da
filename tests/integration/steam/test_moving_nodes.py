"""What is delivered on the air equals what geometry says, for nodes that move."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from eventservices.steam import (
    Air,
    AirSettings,
    Circle,
    Event,
    FixedLocation,
    LiveLocation,
    Location,
    Node,
    NodeSettings,
    Notification,
    Position,
    Proximity,
    Rectangle,
    TraceLocation,
    around,
    contains,
    distance_m,
)

Eventually = Callable[[Callable[[], bool]], Awaitable[None]]

SECONDS = 40
RANGES_M = (80.0, 150.0, 300.0)
STEP_DEG = 0.0004  # at most some 60 m a second


@dataclass(frozen=True)
class Mover:
    name: str
    range_m: float
    location: Location


class Clock:
    now_us = 0

    def __call__(self) -> int:
        return self.now_us


def wander(random: Random, path: Path, names: list[str], centre: Position) -> None:
    """Write a trace in which vehicles wander about; some come late or leave early."""
    rows: list[tuple[int, str, float, float]] = []
    for name in names:
        lat, lon = centre.lat + random.uniform(-0.004, 0.004), centre.lon
        first, last = random.randint(0, 5), random.randint(SECONDS - 5, SECONDS)
        phase_us = random.randrange(1_000_000)
        for second in range(first, last + 1):
            rows.append((second * 1_000_000 + phase_us, name, lat, (lon + 180) % 360 - 180))
            lat += random.uniform(-STEP_DEG, STEP_DEG)
            lon += random.uniform(-STEP_DEG, STEP_DEG)
    lines = [",".join(map(str, row)) for row in sorted(rows)]
    path.write_text("\n".join(["time_us,vehicle,lat,lon", *lines]) + "\n")


def expected(movers: list[Mover], sent: list[tuple[Mover, int, Proximity, int]]) -> set[object]:
    """Return (receiver, sender, sequence) of each event that must be heard, by brute force."""
    deliveries: set[object] = set()
    for sender, time_us, proximity, sequence in sent:
        there = sender.location.position_at(time_us)
        for mover in movers:
            here = mover.location.position_at(time_us)
            if mover is sender or here is None or there is None:
                continue
            near = distance_m(there, here) <= min(sender.range_m, mover.range_m)
            if near and contains(proximity, there, here):
                deliveries.add((mover.name, sender.name, sequence))
    return deliveries


@pytest.mark.parametrize("edge_m", [100.0, 300.0, 1000.0])
@pytest.mark.parametrize(
    "centre", [Position(50.0, 11.0), Position(10.0, 180.0), Position(-89.99, 40.0)]
)
async def test_the_delivered_set_is_the_one_that_geometry_demands(
    settings: AirSettings, tmp_path: Path, edge_m: float, centre: Position
) -> None:
    random = Random(f"{edge_m} {centre}")
    names = [f"v{number}" for number in range(8)]
    wander(random, tmp_path / "trace.csv", names, centre)
    movers = [
        Mover(name, random.choice(RANGES_M), TraceLocation(tmp_path / "trace.csv", name))
        for name in names
    ]
    movers += [Mover("m", 150.0, FixedLocation(centre.lat, centre.lon))]
    heard: set[object] = set()
    clock = Clock()
    # Looks are driven by the test, once a second of the trace.
    quiet = replace(settings, cell_edge_m=edge_m, leave_after_s=0.0, beacon_period_s=60.0)
    areas: list[Proximity] = [
        around(200.0),
        Rectangle(True, 0, 0, 150, 250),
        Circle(False, centre.lat, centre.lon, 400.0),
    ]
    sent: list[tuple[Mover, int, Proximity, int]] = []
    async with Air(quiet, clock) as air:
        await air._rounds.close()
        nodes = {}
        for mover in movers:
            node = nodes[mover.name] = air.node(
                NodeSettings(mover.name, mover.range_m), mover.location
            )
            node.announce("Speed", around(300.0))

            def hear(one: Notification, receiver: str = mover.name) -> None:
                delivery = (receiver, one.node, one.stamp.sequence)
                assert delivery not in heard
                heard.add(delivery)

            await node.subscribe("Speed", hear)
        for start, end in pairwise(range(0, SECONDS * 1_000_000 + 1, 1_000_000)):
            clock.now_us = start
            await air.look()
            for mover in movers:
                clock.now_us = random.randrange(start, end)
                area = random.choice(areas)
                stamp = nodes[mover.name].publish(Event("Speed", {"rate": 1}, proximity=area))
                if stamp is not None:
                    sent.append((mover, stamp.time_us, area, stamp.sequence))
            await air.probe()
        assert air.counters.callback_errors == 0
    wanted = expected(movers, sent)
    assert len(wanted) > 50
    assert heard == wanted


async def test_a_node_that_moves_by_itself_hears_wherever_it_goes(
    settings: AirSettings, tmp_path: Path, eventually: Eventually
) -> None:
    rows = [f"{second * 1_000_000},v,{50 + second * 0.0006},11.0" for second in range(60)]
    (tmp_path / "trace.csv").write_text("\n".join(["time_us,vehicle,lat,lon", *rows]) + "\n")
    clock = Clock()
    heard: list[Notification] = []
    fast = replace(settings, speed=10.0, leave_after_s=0.05)
    async with Air(fast, clock) as air:
        vehicle = air.node(NodeSettings("v", 200.0), TraceLocation(tmp_path / "trace.csv", "v"))
        await vehicle.subscribe("Sign", heard.append)
        first = vehicle._consumer._receiver.coverage.cells
        for second in range(0, 60, 10):
            clock.now_us = second * 1_000_000
            sign = air.node(
                NodeSettings(f"s{second}", 200.0), FixedLocation(50 + second * 0.0006, 11.0)
            )
            sign.announce("Sign", around(200.0))
            await eventually(lambda: covers(vehicle, air, clock.now_us))
            await eventually(lambda: air.healthy)
            sign.publish(Event("Sign", {"limit": second}))
            await air.probe()
        await eventually(lambda: not first & vehicle._consumer._receiver.coverage.cells)
    assert [one.parameters["limit"] for one in heard] == list(range(0, 60, 10))


def covers(vehicle: Node, air: Air, now_us: int) -> bool:
    position = vehicle.location.position_at(now_us)
    assert position is not None
    return air.grid.cell(position) in vehicle._consumer._receiver.coverage.cells


async def test_a_node_that_cannot_cover_its_surroundings_does_not_hold_up_the_others(
    settings: AirSettings, eventually: Eventually
) -> None:
    heard: list[Notification] = []
    quick = replace(settings, position_interval_s=0.02, v_max_mps=0.0)
    async with Air(quick) as air:
        places = [LiveLocation(1e6), LiveLocation(1e6)]
        now_us = air.clock_us()
        for place in places:
            place.update(now_us, 50.0, 11.0)
        # A radio range of the whole Earth covers too many cells once its place is known.
        wide = air.node(NodeSettings("wide", 1.0), places[0])
        mover = air.node(NodeSettings("mover", 150.0), places[1])
        await wide.subscribe("Speed", lambda _: None)
        await mover.subscribe("Speed", heard.append)
        wide._consumer._receiver.coverage._reach_m = 1e6
        for place in places:
            place.update(now_us + 1, 50.1, 11.0)
        await eventually(lambda: air.counters.uncovered > 1)
        await eventually(lambda: air.healthy)
        speaker = air.node(NodeSettings("speaker", 150.0), FixedLocation(50.1, 11.0))
        speaker.announce("Speed", around(150.0))
        speaker.publish(Event("Speed", {"rate": 1}))
        await eventually(lambda: len(heard) == 1)
