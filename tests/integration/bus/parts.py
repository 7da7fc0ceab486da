"""A bus, a sink or a source as a process of its own, which a test kills or halts.

`python parts.py ROLE URL BUILDING BUS FOLDER`. A sink notes each number that it received in a file,
a source each number that its bus accepted.
"""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

from eventservices.bus import (
    BusClient,
    BusOptions,
    BusSettings,
    Event,
    EventBus,
    NatsTransport,
    NotifyError,
    SqliteStore,
)
from eventservices.bus.binding.naming_client import NamingClient
from eventservices.errors import NotConnectedError
from eventservices.natslink import NatsLink

LOAD = "ie.tcd.cs.Load"
DOOMED = "ie.tcd.cs.Doomed"
SERVERS = ("root", "ie")
SILENT_US = 3_000_000
"""After which a silent bus is cleaned up."""

MONITOR_S = 0.5
"""Between two looks for clients that have crashed."""

PAUSE_S = 0.002


def options(
    folder: Path, name: str, naming: NamingClient | None = None, silent_us: int = SILENT_US
) -> BusOptions:
    """Return how a bus of these tests is made."""
    settings = BusSettings(
        hello_us=300_000, silent_us=silent_us, retry_us=100_000, naming=naming is not None
    )
    store = SqliteStore(folder / f"{name}.db")
    return BusOptions(settings, store, naming=naming, monitor_s=MONITOR_S, renew_s=2.0)


def noted(folder: Path, what: str) -> list[int]:
    """Return the numbers that a process has noted; a torn line at the end is none."""
    try:
        *lines, _ = (folder / what).read_text("utf-8").split("\n")
    except FileNotFoundError:
        return []
    return [int(line) for line in lines]


def noting(folder: Path, what: str) -> Callable[[int], None]:
    """Return what notes a number: a line, written at once."""
    file = (folder / what).open("a", encoding="utf-8", buffering=1)
    return lambda number: print(number, file=file)


async def bus(url: str, building: str, name: str, folder: Path) -> None:
    async with NatsLink([url]) as link:
        naming = NamingClient(link, building, SERVERS)
        async with EventBus([url], building, name, options(folder, name, naming)):
            await asyncio.Event().wait()


async def sink(url: str, building: str, name: str, folder: Path) -> None:
    """Run a durable sink, which notes, and one that is not."""
    note = noting(folder, "sink")
    async with BusClient(NatsTransport([url], building, name, "doomed-sink")) as client:

        def take(event: Event) -> None:
            note(event.values["n"])

        await client.subscribe(LOAD, take, durable="doomed")
        await client.subscribe(LOAD, lambda _: None)
        await asyncio.Event().wait()


async def source(url: str, building: str, name: str, folder: Path) -> None:
    note, number = noting(folder, "source"), len(noted(folder, "source"))
    async with BusClient(NatsTransport([url], building, name, "doomed-source")) as client:
        sending = await client.advertise(DOOMED)
        while True:
            await asyncio.sleep(PAUSE_S)
            try:
                await sending.notify({"n": number}, persistent=True)
            except (NotifyError, NotConnectedError):
                continue  # its lane is full, or it is not advertised again yet
            note(number)
            number += 1


ROLES = {"bus": bus, "sink": sink, "source": source}

if __name__ == "__main__":
    role, url, building, name, folder = sys.argv[1:]
    asyncio.run(ROLES[role](url, building, name, Path(folder)))
