"""A town's three event services, as its native clients know them: without a federation."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from adapter_cns.observed import MARK
from eventservices.cns import (
    ClientType,
    EventChannel,
    structured_event,
)
from eventservices.cns import Connection as CnsConnection
from eventservices.servers import NatsServer
from eventservices.siena import Client, Notification
from eventservices.siena import Connection as SienaConnection
from eventservices.stamp import Stamp
from eventservices.steam import (
    Air,
    AirSettings,
    FixedLocation,
    Node,
    NodeSettings,
    Observer,
    around,
)
from eventservices.steam import Event as SteamEvent
from eventservices.steam.beacon import Membership

_numbers = count(1)

SERVICES = """
version: 1
system: %(name)s
media: {air: {}}
brokers:
  nats: {kind: nats, url: "%(url)s"}
  mqtt: {kind: mqtt, url: "%(mqtt)s"}
event_services:
  cns: {kind: cns, brokers: [nats], settings: {channel: %(name)s-channel}}
  steam:
    kind: steam
    brokers: [mqtt]
    medium: air
    settings: {range_m: 300, location: {lat: 50.0, lon: 11.0}}
  siena: {kind: siena, brokers: [nats], settings: {index: FES_Subject}}
"""
OFF_THE_AIR = "control: {accept: [], relay: false}"


@dataclass
class Town:
    """Native clients of the event services of one federation."""

    server: NatsServer
    name: str = field(default_factory=lambda: f"town{next(_numbers)}")

    def file(self, gateways: str) -> str:
        """Return a federation file with these event services."""
        names = {"name": self.name, "url": self.server.url, "mqtt": self.server.mqtt_url}
        return (SERVICES % names + gateways).replace("%", "%%")

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Town"]:
        """Connect the native clients."""
        async with AsyncExitStack() as stack:
            connection = await stack.enter_async_context(CnsConnection(self.server.url, name="v"))
            self.channel: EventChannel = await connection.open_channel(f"{self.name}-channel")
            admin = self.channel.default_supplier_admin
            self._supplier = admin.obtain_notification_push_consumer(ClientType.STRUCTURED_EVENT)
            await self._supplier.connect_structured_push_supplier(origin="native")
            self.air = Air(AirSettings(self.server.mqtt_url, f"{self.name}.air"))
            await stack.enter_async_context(self.air)
            self.groups: dict[tuple[str, str, int], Membership] = {}
            await stack.enter_async_context(Observer(self.air, self._sight, events=False))
            self.car: Node = self.air.node(NodeSettings("car", 300.0), FixedLocation(50.0, 11.0))
            siena = SienaConnection([self.server.url], "siena", index="FES_Subject")
            self.siena = await stack.enter_async_context(siena)
            yield self

    def citizen(self, name: str) -> tuple[Client, list[Notification]]:
        """Return a native SIENA client and the list that takes what it hears."""
        heard: list[Notification] = []
        return self.siena.client(name), heard

    async def publish_on_cns(self, type_name: str, **values: Any) -> Stamp:
        """Have the native supplier push a structured event."""
        return await self._supplier.push_structured_event(
            structured_event(("", type_name), filterable_data=values)
        )

    async def offer(self, type_name: str) -> None:
        """Have the native supplier offer an event type."""
        await self._supplier.offer_change([("*", type_name)], [])

    async def withdraw(self, type_name: str) -> None:
        """Have the native supplier withdraw an offer."""
        await self._supplier.offer_change([], [("*", type_name)])

    def publish_on_air(self, subject: str, **values: Any) -> Stamp | None:
        """Have the native node say something."""
        self.car.announce(subject, around(300.0))
        return self.car.publish(SteamEvent(subject, values))

    def at_cns(self, client: str) -> set[str]:
        """Return the event types that a member of the channel subscribes to."""
        members = [each for each in self.channel.others if each.client == MARK + client]
        return {one.type_name for each in members for one in each.subscriptions}

    def at_steam(self, node: str) -> list[tuple[str, list[tuple[str, str, Any]]]]:
        """Return the subscriptions that a node made on the air: subject, and terms on content."""
        return [
            (each.subject, [(t.parameter, t.operator, t.value) for t in each.content])
            for (owner, _, _), each in self.groups.items()
            if owner == node
        ]

    def _sight(self, sighting: Any) -> None:
        message = sighting.message
        if isinstance(message, Membership):
            key = (message.sender.node, message.subject, message.number)
            if sighting.kind == "join":
                self.groups[key] = message
            else:
                self.groups.pop(key, None)
