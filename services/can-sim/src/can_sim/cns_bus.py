"""The vehicles' buses on the CORBA Notification Service: a channel each, one connection."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from eventservices.cns import (
    ANY_TYPE,
    ChannelOptions,
    ClientType,
    Connection,
    ProxyPushConsumer,
    can_frame_any,
)
from eventservices.ending import ended
from eventservices.errors import EventServiceError, NotConnectedError
from eventservices.stamp import Stamp

from can_sim.errors import BusError
from can_sim.payload import CAN_ID

log = logging.getLogger(__name__)

RETRY_S = 0.5
NOT_CONNECTED = "not_connected"
REFUSED = "refused"
ORIGIN_PREFIX = "can-sim/"


@dataclass(frozen=True, slots=True)
class Naming:
    """How channels and stamps are named after vehicles.

    Attributes:
        channel: Name of the channel; `{vehicle}` represents the vehicle.
        home: Name of the event service in the stamps, the same manner.
    """

    channel: str = "{vehicle}"
    home: str = "cns-v-{vehicle}"


class CnsBus:
    """Puts frames on CNS channels as Any events.

    It connects in the background, again and again until it succeeds. While the broker is away
    frames are refused at once, never kept: a bus does not tell later what was long ago.

    Args:
        urls: Addresses of equal NATS servers.
        vehicles: Names of all vehicles.
        naming: See `Naming`.
    """

    def __init__(
        self, urls: Sequence[str], vehicles: Sequence[str], naming: Naming | None = None
    ) -> None:
        self._urls = urls
        self._vehicles = vehicles
        self._naming = naming or Naming()
        self._connection: Connection | None = None
        self._proxies: dict[str, ProxyPushConsumer] = {}
        self._opening: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Begin to connect."""
        self._opening = asyncio.create_task(self._open_until_done(), name="can-sim-connect")
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Send what was put, and disconnect."""
        await ended(self._opening)
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                await connection.link.flush()
            except NotConnectedError:
                log.warning("broker_away_at_the_end")
            await connection.close()

    async def connected(self, timeout_s: float) -> None:
        """Return when every vehicle's channel is open.

        Args:
            timeout_s: Longest wait, seconds.

        Raises:
            BusError: It lasted longer, or the broker refuses.
        """
        if self._opening is None:
            raise BusError(NOT_CONNECTED, "the bus is closed")
        try:
            async with asyncio.timeout(timeout_s):
                await asyncio.shield(self._opening)
        except TimeoutError as error:
            raise BusError(NOT_CONNECTED, f"no answer from {', '.join(self._urls)}") from error
        except EventServiceError as error:
            raise BusError(REFUSED, str(error)) from error

    async def put(self, vehicle: str, data: bytes, time_us: int) -> Stamp:
        """Put a frame on a vehicle's channel; see `Bus.put`."""
        connection = self._connection
        if connection is None or not connection.connected:
            raise BusError(NOT_CONNECTED)
        try:
            return await self._proxies[vehicle].push(
                can_frame_any(CAN_ID, data, extended=True), time_us=time_us
            )
        except NotConnectedError as error:
            raise BusError(NOT_CONNECTED, str(error)) from error
        except EventServiceError as error:
            raise BusError(REFUSED, str(error)) from error

    async def _open_until_done(self) -> None:
        while True:
            connection = Connection(list(self._urls), name="can-sim")
            try:
                await connection.open()
                for vehicle in self._vehicles:
                    self._proxies[vehicle] = await self._open(connection, vehicle)
            except NotConnectedError as error:
                log.warning("broker_away", extra={"error": str(error)})
                await connection.close()
                await asyncio.sleep(RETRY_S)
            except BaseException:
                await connection.close()
                raise
            else:
                self._connection = connection
                return

    async def _open(self, connection: Connection, vehicle: str) -> ProxyPushConsumer:
        home = self._naming.home.format(vehicle=vehicle)
        channel = await connection.open_channel(
            self._naming.channel.format(vehicle=vehicle), ChannelOptions(home=home)
        )
        proxy = channel.default_supplier_admin.obtain_notification_push_consumer(
            ClientType.ANY_EVENT
        )
        await proxy.connect_any_push_supplier(origin=ORIGIN_PREFIX + vehicle)
        await proxy.offer_change([ANY_TYPE], [])
        return proxy
