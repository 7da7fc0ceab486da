"""Adapters that reach their broker through a proxy, and a native client that does not."""

import itertools
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from adapter_cns.adapter import CnsAdapter
from adapter_siena import SienaAdapter
from adapter_steam.adapter import SteamAdapter
from eventservices.cns import ClientType, Connection, structured_event
from eventservices.servers import NatsServer
from eventservices.siena import Connection as SienaConnection
from eventservices.steam import Air, AirSettings, Event, FixedLocation, NodeSettings, around
from fes.adapter.base import AnyAdapter
from fes.adapter.pool import ConnectionPool
from support.processes.contexts import adapter_context
from support.processes.proxy import Proxy

LAT, LON = 50.0, 11.0

_numbers = itertools.count(1)


class Reached(ABC):
    """One event service.

    Args:
        server: Its broker.
        stack: Closes what is opened here.
    """

    def __init__(self, server: NatsServer, stack: AsyncExitStack) -> None:
        self.server = server
        self.stack = stack
        self.name = f"trap-{next(_numbers)}"

    @abstractmethod
    def adapter(self, proxy: Proxy) -> AnyAdapter:
        """Return an adapter that reaches the broker through a proxy."""

    @abstractmethod
    async def publish(self, number: int) -> None:
        """Have the native client publish a Speed event."""


class Cns(Reached):
    """A channel of CNS."""

    def adapter(self, proxy: Proxy) -> CnsAdapter:
        return CnsAdapter(
            adapter_context(
                "g",
                self.name,
                CnsAdapter,
                ConnectionPool(),
                brokers=(f"nats://127.0.0.1:{proxy.port}",),
            )
        )

    async def publish(self, number: int) -> None:
        if not hasattr(self, "proxy"):
            native = await self.stack.enter_async_context(Connection(self.server.url))
            channel = await native.open_channel(self.name)
            self.proxy = channel.default_supplier_admin.obtain_notification_push_consumer(
                ClientType.STRUCTURED_EVENT
            )
            await self.proxy.connect_structured_push_supplier(origin="native")
        event = structured_event(("", "Speed"), filterable_data={"number": number})
        await self.proxy.push_structured_event(event)


class Siena(Reached):
    """A SIENA service."""

    def adapter(self, proxy: Proxy) -> SienaAdapter:
        return SienaAdapter(
            adapter_context(
                "g",
                self.name,
                SienaAdapter,
                ConnectionPool(),
                brokers=(f"nats://127.0.0.1:{proxy.port}",),
            )
        )

    async def publish(self, number: int) -> None:
        if not hasattr(self, "client"):
            native = SienaConnection([self.server.url], self.name)
            self.client = (await self.stack.enter_async_context(native)).client("native")
        await self.client.publish({"FES_Subject": "Speed", "number": number})


class Steam(Reached):
    """An air of STEAM."""

    def adapter(self, proxy: Proxy) -> SteamAdapter:
        return SteamAdapter(
            adapter_context(
                "g",
                "steam",
                SteamAdapter,
                ConnectionPool(),
                settings={"range_m": 300, "location": {"lat": LAT, "lon": LON}},
                brokers=(f"mqtt://127.0.0.1:{proxy.port}",),
                medium=self.name,
            )
        )

    async def publish(self, number: int) -> None:
        if not hasattr(self, "node"):
            air = Air(AirSettings(self.server.mqtt_url, f"test.{self.name}"))
            opened = await self.stack.enter_async_context(air)
            self.node = opened.node(NodeSettings("native", 300.0), FixedLocation(LAT, LON))
            self.node.announce("Speed", around(300.0))
        self.node.publish(Event("Speed", {"number": number}))


KINDS: dict[str, type[Reached]] = {"cns": Cns, "siena": Siena, "steam": Steam}


@asynccontextmanager
async def reached(kind: str, server: NatsServer) -> AsyncIterator[tuple[Reached, Proxy]]:
    """Have an event service of a kind, and a proxy in front of its broker."""
    port = server.mqtt_port if kind == "steam" else server.port
    async with Proxy(port) as proxy, AsyncExitStack() as stack:
        yield KINDS[kind](server, stack), proxy
