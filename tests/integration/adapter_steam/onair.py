"""An air on a real broker, with adapters and native nodes on it."""

import json
import urllib.request
from contextlib import AsyncExitStack
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

from adapter_steam.adapter import SteamAdapter
from eventservices.servers import NatsServer
from eventservices.steam import Air, AirSettings, FixedLocation, Node, NodeSettings
from fes.adapter.pool import ConnectionPool
from fes.testing.conformance.bench import Captured, captured
from support.processes.contexts import adapter_context

LAT, LON = 50.0, 11.0
DEGREE_M = 111_195.0
"""Metres in a degree of latitude."""

_numbers = count(1)


class OnAir:
    """What a test needs of an air of its own; everything stands on one meridian."""

    def __init__(self, server: NatsServer, stack: AsyncExitStack, base: Path) -> None:
        self.server = server
        self.medium = f"air{next(_numbers)}"
        self.name = f"test.{self.medium}"
        self.pool = ConnectionPool()
        self.air = Air(AirSettings(server.mqtt_url, self.name))
        self._stack = stack
        self._base = base

    def node(self, name: str, north_m: float = 0.0, range_m: float = 300.0) -> Node:
        """Return a native node."""
        place = FixedLocation(LAT + north_m / DEGREE_M, LON)
        return self.air.node(NodeSettings(name, range_m), place)

    def adapter(self, name: str, north_m: float = 0.0, **settings: Any) -> SteamAdapter:
        """Return an adapter that is not connected."""
        place = {"location": {"lat": LAT + north_m / DEGREE_M, "lon": LON}}
        context = adapter_context(
            name,
            "steam",
            SteamAdapter,
            self.pool,
            settings=place | settings,
            brokers=(self.server.mqtt_url,),
            medium=self.medium,
            base=str(self._base),
        )
        return SteamAdapter(context)

    async def gateway(self, adapter: SteamAdapter) -> Captured:
        """Return the end of an adapter's link, once the adapter is ready."""
        return await self._stack.enter_async_context(captured(adapter))

    def topics(self) -> list[str]:
        """Return the event topics of this air that the broker has subscriptions to."""
        url = f"http://{self.server.host}:{self.server.http_port}/subsz?subs=1&limit=10000"
        with urllib.request.urlopen(url, timeout=5) as answer:
            listed = json.load(answer).get("subscriptions_list", [])
        level = quote(self.name, safe="").replace(".", "%2E")
        return sorted(
            one["subject"] for one in listed if one["subject"].startswith(f"{level}.event.")
        )

    def clients(self) -> list[str]:
        """Return the MQTT clients that the broker has, by identifier."""
        url = f"http://{self.server.host}:{self.server.http_port}/connz"
        with urllib.request.urlopen(url, timeout=5) as answer:
            listed = json.load(answer)["connections"]
        return [one["mqtt_client"] for one in listed if "mqtt_client" in one]
