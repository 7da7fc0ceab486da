"""SIENA SUB: the city's subscriber, which requests speeds above a limit."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from eventservices.siena import Connection, where
from eventservices.siena.show import notification_line

from traffic_control_events.natives.files import lines_of
from traffic_control_events.story import CITY, HEARD, INDEX, SPEED

NAME = "siena-sub"


@asynccontextmanager
async def subscribed(run: Path, url: str, over_mph: float) -> AsyncIterator[None]:
    """Write down what comes, for as long as the context lasts.

    Args:
        run: The run folder.
        url: Address of the SIENA server.
        over_mph: Speeds above it are requested.

    Raises:
        EventServiceError: The server is away.
    """
    with lines_of(run / HEARD) as tell:
        async with Connection([url], CITY, index=INDEX) as connection:
            wanted = where((INDEX, "=", SPEED), ("rate", ">", over_mph))
            client = connection.client(NAME)
            await client.subscribe(
                wanted, lambda event, stamp: tell(notification_line(event, stamp))
            )
            yield
