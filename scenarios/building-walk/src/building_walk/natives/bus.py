"""The event bus of one device, as a process; clients reach it over NATS."""

import asyncio
from pathlib import Path

from eventservices.bus import BusOptions, BusSettings, EventBus, SqliteStore
from eventservices.bus.binding.naming_client import NamingClient
from eventservices.bus.binding.policy_client import PolicyClient
from eventservices.natslink import NatsLink

from building_walk.story import BUILDING

SERVERS = ("ns",)


async def serve(run: Path, url: str, bus: str) -> None:
    """Run a bus until cancelled; what is persistent outlives it in a file.

    Args:
        run: The run folder.
        url: Of the NATS server.
        bus: Its identifier.

    Raises:
        EventServiceError: The server is away.
        OSError: The file cannot be opened.
    """
    async with NatsLink([url]) as link:
        options = BusOptions(
            BusSettings(naming=True, policy=True),
            store=SqliteStore(run / "buses" / f"{bus}.db"),
            naming=NamingClient(link, BUILDING, SERVERS),
            policy=PolicyClient(link, BUILDING),
        )
        async with EventBus([url], BUILDING, bus, options):
            ready_file(run, bus).touch()
            await asyncio.Event().wait()


def ready_file(run: Path, bus: str) -> Path:
    """Return the file that is there once a bus has been open."""
    return run / "buses" / f"{bus}.ready"
