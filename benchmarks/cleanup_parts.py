"""The parts of a building that `bench_cleanup.py` kills, and the short settings of all.

`python cleanup_parts.py ROLE URL BUILDING` runs one; it ends by a signal.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Final

from eventservices.bus import (
    BusClient,
    BusOptions,
    BusSettings,
    Event,
    EventBus,
    LocalTransport,
    NatsTransport,
    NotifyError,
)
from eventservices.bus.binding.naming_client import NamingClient
from eventservices.errors import NotConnectedError
from eventservices.natslink import NatsLink
from fes_naming.core import NamingSettings
from fes_naming.links import Links
from fes_naming.server import NamingServer

LOAD: Final = "Load"
DOOMED: Final = "Doomed"
ELSEWHERE: Final = "ie.Elsewhere"
"""Name of an event that the naming server keeps which is killed."""

PAUSE_S: Final = 0.005
MONITOR_S: Final = 0.5
SETTINGS: Final = BusSettings(
    naming=True, hello_us=300_000, silent_us=3_000_000, horizon_us=2_000_000, retry_us=100_000
)
NAMES: Final = NamingSettings(
    lifetime_us=2_000_000, lease_us=3_000_000, forward_us=400_000, retry_us=200_000
)
ROOT: Final = Links(".", {"ie.": "ie"})
BELOW: Final = Links("ie.", {".": "root"})


def options(naming: NamingClient) -> BusOptions:
    """Return how each bus here is made."""
    return BusOptions(SETTINGS, naming=naming, monitor_s=MONITOR_S, renew_s=1.0)


async def send(client: BusClient, name: str) -> None:
    """Advertise a source, and send for ever."""
    source, number = await client.advertise(name), 0
    while True:
        await asyncio.sleep(PAUSE_S)
        try:
            await source.notify({"n": number}, persistent=True)
        except (NotifyError, NotConnectedError):
            continue
        number += 1


async def receive(client: BusClient, durable: str) -> None:
    """Subscribe a durable sink and another one."""
    await client.subscribe(LOAD, _ignore, durable=durable)
    await client.subscribe(LOAD, _ignore)


def _ignore(event: Event) -> None:
    del event


async def sink(url: str, building: str) -> None:
    """Run a client of sinks."""
    async with BusClient(NatsTransport([url], building, "far", "doomed-sink")) as client:
        await receive(client, "sink")
        await asyncio.Event().wait()


async def source(url: str, building: str) -> None:
    """Run a client of a source."""
    async with BusClient(NatsTransport([url], building, "near", "doomed-source")) as client:
        await send(client, DOOMED)


async def bus(url: str, building: str) -> None:
    """Run a bus with a source and sinks."""
    async with NatsLink([url]) as link:
        made = options(NamingClient(link, building, ["root"]))
        async with (
            EventBus([url], building, "doomed", made) as third,
            BusClient(LocalTransport(third, "client")) as client,
        ):
            await receive(client, "bus")
            await send(client, DOOMED)


async def naming(url: str, building: str) -> None:
    """Run a naming server."""
    async with NamingServer([url], building, "ie", BELOW, settings=NAMES):
        await asyncio.Event().wait()


ROLES: Final[dict[str, Callable[[str, str], Awaitable[None]]]] = {
    "sink": sink,
    "source": source,
    "bus": bus,
    "naming": naming,
}


async def _run(role: str, url: str, building: str) -> None:
    await ROLES[role](url, building)


if __name__ == "__main__":
    asyncio.run(_run(*sys.argv[1:]))
