"""The vehicles' buses on COSMIC: a CAN bus each, on which the vehicle is node 0.

The speed's channel is hard real-time and has the etag 12345, so that its frames have exactly the
identifier 12345: priority 0, node 0. A device that knows nothing of channels reads the same frame.
"""

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from eventservices.cosmic import (
    Bus,
    BusSettings,
    ChannelAttributes,
    Event,
    Interface,
    Node,
    NodeSettings,
    TimeClass,
)
from eventservices.ending import ended
from eventservices.errors import EventServiceError, NotConnectedError
from eventservices.stamp import Stamp

from can_sim.cns_bus import NOT_CONNECTED, ORIGIN_PREFIX, REFUSED
from can_sim.errors import BusError
from can_sim.payload import CAN_ID

log = logging.getLogger(__name__)

SUBJECT = "Speed"
NODE = 0
SLOT_US = 2_000
"""Time between two slots of the channel: a frame waits no longer for its turn."""

RETRY_S = 0.5
DRAIN_S = 2.0


class CosmicBus:
    """Puts frames on CAN buses, each with the stamp that follows it.

    It opens the buses in the background, again and again until it succeeds.

    Args:
        interfaces: The bus of each vehicle.
        home: Name of the event service in the stamps; `{vehicle}` represents the vehicle.
    """

    def __init__(self, interfaces: Mapping[str, Interface], home: str) -> None:
        self._home = home
        self._buses = {
            vehicle: Bus(BusSettings(interface)) for vehicle, interface in interfaces.items()
        }
        self._nodes: dict[str, Node] = {}
        self._opening: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Begin to open the buses."""
        self._opening = asyncio.create_task(self._open_until_done(), name="can-sim-open")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Send what was put, and leave the buses."""
        await ended(self._opening)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_S):
                await asyncio.gather(*(bus.drain() for bus in self._buses.values()))
        await asyncio.gather(*(bus.close() for bus in self._buses.values()))

    async def connected(self, timeout_s: float) -> None:
        """Return when every vehicle's bus is open.

        Args:
            timeout_s: Longest wait, seconds.

        Raises:
            BusError: It lasted longer, or there is no such bus.
        """
        if self._opening is None:
            raise BusError(NOT_CONNECTED, "the bus is closed")
        try:
            async with asyncio.timeout(timeout_s):
                await asyncio.shield(self._opening)
        except TimeoutError as error:
            raise BusError(NOT_CONNECTED, "a CAN bus cannot be opened") from error
        except EventServiceError as error:
            raise BusError(REFUSED, str(error)) from error

    async def put(self, vehicle: str, data: bytes, time_us: int) -> Stamp:
        """Put a frame on a vehicle's bus; see `Bus.put`."""
        node = self._nodes.get(vehicle)
        if node is None:
            raise BusError(NOT_CONNECTED)
        try:
            stamp = node.publish(Event(SUBJECT, data), time_us=time_us)
        except NotConnectedError as error:
            raise BusError(NOT_CONNECTED, str(error)) from error
        except EventServiceError as error:
            raise BusError(REFUSED, str(error)) from error
        if stamp is None:
            raise BusError(REFUSED, "the channel is not stamped")
        return stamp

    async def _open_until_done(self) -> None:
        for vehicle, bus in self._buses.items():
            while vehicle not in self._nodes:
                try:
                    self._nodes[vehicle] = await self._open(vehicle, bus)
                except NotConnectedError as error:
                    log.warning("bus_away", extra={"vehicle": vehicle, "error": str(error)})
                    await bus.close()
                    await asyncio.sleep(RETRY_S)

    async def _open(self, vehicle: str, bus: Bus) -> Node:
        await bus.open()
        name = ORIGIN_PREFIX + vehicle
        node = bus.node(NodeSettings(name, NODE, self._home.format(vehicle=vehicle)))
        await node.announce(
            SUBJECT,
            ChannelAttributes(TimeClass.HRT, period_us=SLOT_US),
            etag=CAN_ID,
            origin=name,
        )
        return node
