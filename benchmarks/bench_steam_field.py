"""A field of moving STEAM nodes in free run: what is heard, what it costs, what a broadcast would.

Nodes drive about a square, look where they are by themselves, and say something once a second. The
trace's clock runs `--speed` times as fast as the wall's. Afterwards geometry alone tells who must
have heard what: *lost* and *extra* are against that.

    .venv/bin/python benchmarks/bench_steam_field.py --nodes 1000 --speed 2
"""

import argparse
import asyncio
import sys
import time
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from math import asin, cos, pi, radians, sin, sqrt
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from eventservices.servers import NatsServer, ServerSpec
from eventservices.steam import Air, AirSettings, Event, NodeSettings, Notification, around
from eventservices.steam import Position as Place
from measure import cpu_s

RADIUS_M, RANGE_M, FASTEST_MPS = 6_371_008.8, 300.0, 30.0
METRES_PER_DEGREE = RADIUS_M * pi / 180
SECOND_US = 1_000_000
SOUTH, WEST = 50.0, 11.0
ACROSS = METRES_PER_DEGREE * cos(radians(SOUTH))
TICK_S = 0.02
SUBSCRIPTION_TIME_S = 0.5


class Driver:
    """Drives straight on and turns back at the border of a square.

    Args:
        random: Chooses where, and how fast.
        side_m: Edge of the square.
    """

    def __init__(self, random: Random, side_m: float) -> None:
        self.moves = True
        self._side_m = side_m
        self._start = random.uniform(0, side_m), random.uniform(0, side_m)
        most = FASTEST_MPS / sqrt(2)
        self._speed_mps = random.uniform(-most, most), random.uniform(-most, most)

    def position_at(self, time_us: int) -> Place:
        """Return where it is at a time."""
        x, y = (
            self._folded(start + speed * time_us / SECOND_US)
            for start, speed in zip(self._start, self._speed_mps, strict=True)
        )
        return Place(SOUTH + y / METRES_PER_DEGREE, WEST + x / ACROSS)

    def _folded(self, way_m: float) -> float:
        way_m %= 2 * self._side_m
        return min(way_m, 2 * self._side_m - way_m)


@dataclass
class Run:
    """What happened.

    Attributes:
        drivers: Where the nodes were.
        said: (event's time, node) by number of the event.
        heard: (receiver, number of the event).
        behind_s: How far the events' times were behind the clock at most; seconds of the trace.
    """

    drivers: list[Driver]
    said: list[tuple[int, int]] = field(default_factory=list)
    heard: list[tuple[int, int]] = field(default_factory=list)
    behind_s: float = 0.0


async def play(air: Air, run: Run, seconds: int) -> None:
    """Let all nodes speak once a second of the trace."""
    nodes = []
    for number, driver in enumerate(run.drivers):
        node = air.node(NodeSettings(f"n{number}", RANGE_M), driver)
        node.announce("Speed", around(RANGE_M))

        def hear(one: Notification, receiver: int = number) -> None:
            run.heard.append((receiver, one.parameters["number"]))

        await node.subscribe("Speed", hear)
        nodes.append(node)
    count, first_us = len(nodes), air.clock_us()
    while len(run.said) < count * seconds:
        due = (air.clock_us() - first_us) * count // SECOND_US
        for number in range(len(run.said), min(due, count * seconds)):
            time_us = first_us + number * SECOND_US // count
            run.behind_s = max(run.behind_s, (air.clock_us() - time_us) / SECOND_US)
            nodes[number % count].publish(Event("Speed", {"number": number}), time_us=time_us)
            run.said.append((time_us, number % count))
        await asyncio.sleep(TICK_S)
    for _ in range(2):
        await air.probe(30.0)


def geometry(run: Run) -> set[tuple[int, int]]:
    """Return who must have heard what."""
    wanted = set()
    reach_deg = (RANGE_M + 2 * FASTEST_MPS) / METRES_PER_DEGREE
    second, order = -1, [(0.0, 0)]
    for number, (time_us, node) in enumerate(run.said):
        if time_us // SECOND_US != second:
            second = time_us // SECOND_US
            where = (one.position_at(time_us).lat for one in run.drivers)
            order = sorted((lat, one) for one, lat in enumerate(where))
        here = run.drivers[node].position_at(time_us)
        first, end = (here.lat - reach_deg, -1), (here.lat + reach_deg, len(run.drivers))
        for _, other in order[bisect_left(order, first) : bisect_right(order, end)]:
            there = run.drivers[other].position_at(time_us)
            if other != node and haversine_m(here, there) <= RANGE_M:
                wanted.add((other, number))
    return wanted


def haversine_m(a: Place, b: Place) -> float:
    """Return a great-circle distance; metres."""
    north, east = radians(b.lat - a.lat) / 2, radians(b.lon - a.lon) / 2
    inner = sin(north) ** 2 + cos(radians(a.lat)) * cos(radians(b.lat)) * sin(east) ** 2
    return 2 * RADIUS_M * asin(sqrt(inner))


async def measure(url: str, options: argparse.Namespace) -> tuple[Run, list[tuple[str, object]]]:
    """Return a run and what it cost."""
    random = Random(options.nodes)
    run = Run([Driver(random, options.side) for _ in range(options.nodes)])
    settings = AirSettings(
        url,
        "field",
        connections=options.connections,
        v_max_mps=FASTEST_MPS,
        speed=options.speed,
        subscription_time_s=SUBSCRIPTION_TIME_S,
    )
    speed, begun_s = settings.speed, time.monotonic()

    def clock_us() -> int:
        return round((time.monotonic() - begun_s) * speed * SECOND_US)

    cpu, elapsed = time.process_time(), time.monotonic()
    async with Air(settings, clock_us) as air:
        await play(air, run, options.seconds)
        elapsed, cpu = time.monotonic() - elapsed, time.process_time() - cpu
        counters, events = air.counters, len(run.said)
        return run, [
            ("events", events),
            ("events a second of wall time", round(events / elapsed)),
            ("brought to connections, an event", round(air.delivered / events, 2)),
            ("brought to nodes, an event", round(counters.offered / events, 2)),
            ("a broadcast, an event", options.nodes - 1),
            ("late looks", counters.late),
            ("behind the clock at most, s of the trace", round(run.behind_s, 2)),
            ("CPU of the nodes, µs an event", round(cpu / events * 1e6)),
        ]


def main() -> int:
    """Run, and print one line for each figure.

    Returns:
        0; 1 where something was lost or came that must not.
    """
    parser = argparse.ArgumentParser(description="Measure a field of moving STEAM nodes.")
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=60, help="of the trace")
    parser.add_argument("--side", type=float, default=10_000.0, help="edge of the field, m")
    parser.add_argument("--speed", type=float, default=2.0, help="seconds of the trace a second")
    parser.add_argument("--connections", type=int, default=8)
    options = parser.parse_args()
    with (
        TemporaryDirectory() as folder,
        NatsServer(ServerSpec("field", Path(folder), mqtt=True)) as server,
    ):
        run, figures = asyncio.run(measure(server.mqtt_url, options))
        broker_us = cpu_s(server.pid or 0) / len(run.said) * 1e6
    wanted, heard = geometry(run), set(run.heard)
    figures += [
        ("CPU of the broker, µs an event", round(broker_us)),
        ("heard", len(heard)),
        ("lost", len(wanted - heard)),
        ("extra", len(heard - wanted) + len(run.heard) - len(heard)),
    ]
    for what, value in figures:
        print(f"{what:45}{value:>12}")
    return int(heard != wanted)


if __name__ == "__main__":
    sys.exit(main())
