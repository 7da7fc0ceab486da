"""Clients of the other event services: the doors' CAN bus, the handheld, and the city."""

from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Any, Final

from eventservices.cosmic import (
    Bus,
    BusSettings,
    ChannelAttributes,
    Delivery,
    Interface,
    NodeSettings,
    TimeClass,
)
from eventservices.cosmic.driver import GROUP
from eventservices.siena import Connection, where
from eventservices.stamp import Stamp
from eventservices.steam import Air, AirSettings, FixedLocation, Notification
from eventservices.steam import NodeSettings as SteamNode
from scenario_kit.records import Recorder

from building_walk.story import CITY, DOORS, HANDHELD, MAIL, OPEN, SIGHTING

AIR: Final = "building-walk.air"
PLACE: Final = (53.3438, -6.2546)
RANGE_M: Final = 100.0
DOORS_NODE: Final = 2
HOLD_US: Final = 1_000_000
ROOM_BYTES: Final = 4
INDEX: Final = "FES_Subject"


async def watch_doors(stack: AsyncExitStack, port: int, recorder: Recorder) -> None:
    """Write down which doors open.

    Raises:
        EventServiceError: The CAN bus cannot be opened.
    """
    settings = BusSettings(Interface("udp_multicast", GROUP, port), hashed=True)
    bus = await stack.enter_async_context(Bus(settings))
    node = bus.node(NodeSettings(DOORS, DOORS_NODE))

    def opened(event: Delivery) -> None:
        room = event.content[:ROOM_BYTES].rstrip(b"\0 ").decode("latin-1")
        number = int.from_bytes(event.content[ROOM_BYTES:], "little", signed=True)
        recorder.note("received", DOORS, event=OPEN, room=room, number=number)

    await node.subscribe(OPEN, ChannelAttributes(TimeClass.SRT, hold_us=HOLD_US), opened)


async def watch_air(stack: AsyncExitStack, url: str, recorder: Recorder) -> None:
    """Write down what a handheld receives.

    Raises:
        EventServiceError: The broker is away.
    """
    air = await stack.enter_async_context(Air(AirSettings(url, AIR)))
    node = air.node(SteamNode(HANDHELD, range_m=RANGE_M), FixedLocation(*PLACE))

    def received(event: Notification) -> None:
        recorder.note("received", HANDHELD, event=event.subject, **event.parameters)

    for subject in (MAIL, SIGHTING):
        await node.subscribe(subject, received)


async def watch_city(stack: AsyncExitStack, url: str, recorder: Recorder) -> None:
    """Write down what the city receives.

    Raises:
        EventServiceError: The server is away.
    """
    connection = await stack.enter_async_context(Connection([url], CITY, index=INDEX))

    def received(event: Mapping[str, Any], stamp: Stamp | None) -> None:
        del stamp
        values = {key: value for key, value in event.items() if not key.startswith("FES_")}
        recorder.note("received", CITY, event=str(event.get(INDEX)), **values)

    await connection.client(CITY).subscribe(where((INDEX, "=", SIGHTING)), received)
