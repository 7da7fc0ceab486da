"""The native client at the far end, a process of its own: `consumer.py siena|steam URL…`.

It knows nothing of the federation. Each line on standard input is a command, answered by one line
of JSON: `count` tells how many events came and how many copies the client suppressed, `take FILE`
writes what came since the last time, as MessagePack, and forgets it.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import msgspec
import uvloop
from eventservices import siena, steam
from eventservices.stamp import Stamp
from federation import LAT, LON, MONITOR
from verify import Delivery

MOST = 500_000
"""Most deliveries kept; further ones are counted only, and so found missing."""


class Deliveries:
    """What the client was given since it was last taken."""

    def __init__(self) -> None:
        self.count = 0
        self.kept: list[tuple[int, Stamp | None, str, object, object]] = []

    def add(self, stamp: Stamp | None, subject: object, licence: object, rate: object) -> None:
        """Note an event, and when it came."""
        self.count += 1
        if len(self.kept) < MOST:
            now_us = time.time_ns() // 1000
            self.kept.append((now_us, stamp, str(subject), licence, rate))

    def take(self, path: Path) -> None:
        """Write what came to a file, and forget it."""
        taken, self.kept, self.count = self.kept, [], 0
        lines = [
            Delivery(wall_us, stamp, subject, licence, rate)
            for wall_us, stamp, subject, licence, rate in taken
        ]
        path.write_bytes(msgspec.msgpack.encode(lines))


async def hear_siena(urls: list[str], came: Deliveries, stack: AsyncExitStack) -> Callable[[], int]:
    """Subscribe to every speed in the city; returns what tells the copies suppressed."""
    connection = await stack.enter_async_context(
        siena.Connection(urls, "siena-m", index="FES_Subject")
    )

    def take(notification: siena.Notification, stamp: Stamp | None) -> None:
        got = notification.attributes.get
        came.add(stamp, got("FES_Subject"), got("license_no"), got("rate"))

    wanted = siena.parse_filter('filter{ FES_Subject ="Speed"}')
    await connection.client("bench").subscribe(wanted, take)
    return lambda: connection.suppressed


async def hear_steam(
    url: str, air_name: str, came: Deliveries, stack: AsyncExitStack
) -> Callable[[], int]:
    """Listen to every speed on the air; returns what tells the copies suppressed."""
    settings = steam.AirSettings(url, air_name, cell_edge_m=MONITOR.radius_m)
    air = await stack.enter_async_context(steam.Air(settings))
    place = steam.FixedLocation(LAT, LON)
    node = air.node(steam.NodeSettings("bench", MONITOR.radius_m), place)

    def take(event: steam.Notification) -> None:
        got = event.parameters.get
        came.add(event.stamp, event.subject, got("license_no"), got("rate"))

    await node.subscribe("Speed", take)
    return lambda: air.counters.suppressed


async def main() -> None:
    """Hear until standard input ends."""
    options = _options()
    came = Deliveries()
    async with AsyncExitStack() as stack:
        if options.service == "siena":
            suppressed = await hear_siena(options.url, came, stack)
        else:
            suppressed = await hear_steam(options.url[0], options.air, came, stack)
        await _obey(came, suppressed)


async def _obey(came: Deliveries, suppressed: Callable[[], int]) -> None:
    commands = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)
    _answer(came, suppressed)
    async for line in commands:
        verb, _, rest = line.decode().strip().partition(" ")
        if verb == "take":
            came.take(Path(rest))
        _answer(came, suppressed)


def _answer(came: Deliveries, suppressed: Callable[[], int]) -> None:
    sys.stdout.write(json.dumps({"count": came.count, "suppressed": suppressed()}) + "\n")
    sys.stdout.flush()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("service", choices=("siena", "steam"))
    parser.add_argument("url", nargs="+")
    parser.add_argument("--air", default="")
    return parser.parse_args()


if __name__ == "__main__":
    uvloop.run(main())
