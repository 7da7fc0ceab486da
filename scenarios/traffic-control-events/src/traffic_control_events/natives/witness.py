"""The native observer: watches all three event services, and records all that it sees.

It requests nothing: no event service reports an observer to others.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from eventservices.cns import Connection as CnsConnection
from eventservices.cns.observe import Observer as CnsObserver
from eventservices.siena import Client, Filter
from eventservices.siena import Connection as SienaConnection
from eventservices.siena.observe import ROLE
from eventservices.siena.show import declaration_line, notification_line
from eventservices.steam import Air, AirSettings, Observer
from eventservices.steam.show import line

from traffic_control_events.natives.files import Tell, lines_of
from traffic_control_events.story import BUS, CITY, INDEX, SEEN_AIR, SEEN_BUS, SEEN_CITY, SUPPRESSED

NAME = "witness"


@asynccontextmanager
async def looking_on(run: Path, cns: str, air: str, siena: str, medium: str) -> AsyncIterator[None]:
    """Write down what is seen, for as long as the context lasts.

    Args:
        run: The run folder.
        cns: Address of the CNS broker.
        air: Address of the STEAM broker.
        siena: Address of the SIENA server.
        medium: Name of the air.

    Raises:
        EventServiceError: A broker is away.
    """
    async with AsyncExitStack() as stack:
        await _watch_bus(cns, stack.enter_context(lines_of(run / SEEN_BUS)), stack)
        await _watch_air(air, medium, stack.enter_context(lines_of(run / SEEN_AIR)), stack)
        tell = stack.enter_context(lines_of(run / SEEN_CITY))
        city = await _watch_city(siena, tell, stack)
        yield
        tell(json.dumps({"type": SUPPRESSED, "count": city.suppressor.suppressed}))


async def _watch_bus(url: str, tell: Tell, stack: AsyncExitStack) -> None:
    connection = await stack.enter_async_context(CnsConnection(url, name=NAME))
    observer = CnsObserver(BUS, lambda record: tell(json.dumps(record)), asyncio.Event())
    await observer.attach(await connection.open_channel(BUS))


async def _watch_air(url: str, medium: str, tell: Tell, stack: AsyncExitStack) -> None:
    air = await stack.enter_async_context(Air(AirSettings(url, medium)))
    await stack.enter_async_context(Observer(air, lambda sighting: tell(line(sighting))))


async def _watch_city(url: str, tell: Tell, stack: AsyncExitStack) -> Client:
    connection = await stack.enter_async_context(SienaConnection([url], CITY, index=INDEX))
    connection.observe(lambda seen: tell(declaration_line(seen)))
    client = connection.client(NAME, role=ROLE)
    await client.subscribe(Filter(), lambda event, stamp: tell(notification_line(event, stamp)))
    return client
