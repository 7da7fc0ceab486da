"""STEAM on a real MQTT broker passes the adapter suite."""

import itertools
from collections.abc import AsyncIterator, Iterator

import gmqtt
import pytest
from adapter_steam.adapter import SteamAdapter
from eventservices.servers import NatsServer, ServerSpec
from eventservices.stamp import Stamp
from eventservices.steam import (
    Air,
    AirSettings,
    FixedLocation,
    NodeSettings,
    Notification,
    Position,
    around,
)
from eventservices.steam import Event as SteamEvent
from fes.adapter.base import AnyAdapter
from fes.adapter.pool import ConnectionPool
from fes.model import Event
from fes.testing.conformance.adapter import AdapterConformance
from fes.testing.conformance.bench import AdapterBench, NativeEvent
from fes.testing.eventually import eventually
from support.processes.contexts import adapter_context

LAT, LON = 50.0, 11.0

_media = itertools.count()


class SteamBench(AdapterBench):
    """Adapters and a native node, all in one place on an air of their own."""

    def __init__(self, server: NatsServer) -> None:
        self.server = server
        self.medium = f"conformance {next(_media)}"
        self.pool = ConnectionPool()
        self.air = Air(AirSettings(server.mqtt_url, f"test.{self.medium}"))
        self.node = self.air.node(NodeSettings("native", 300.0), FixedLocation(LAT, LON))

    async def adapter(self, name: str) -> AnyAdapter:
        context = adapter_context(
            name,
            "steam",
            SteamAdapter,
            self.pool,
            settings={"range_m": 300, "location": {"lat": LAT, "lon": LON}},
            brokers=(self.server.mqtt_url,),
            medium=self.medium,
        )
        return SteamAdapter(context)

    async def publish_natively(self, event: Event, time_us: int) -> Stamp:
        await eventually(lambda: self.air.healthy, 30.0, "the native node's connection")
        if event.subject not in self.node.announced:
            self.node.announce(event.subject, around(300.0))
        values = {field.id: field.value for field in event.parameters}
        stamp = self.node.publish(SteamEvent(event.subject, values), time_us=time_us)
        assert stamp is not None
        return stamp

    async def listen_natively(self, subject: str) -> list[NativeEvent]:
        found: list[NativeEvent] = []

        def take(heard: Notification) -> None:
            event = Event.of(heard.subject, heard.parameters, heard.attributes)
            found.append(NativeEvent(event, heard.stamp))

        await self.node.subscribe(subject, take)
        return found

    async def take_over(self, adapter: AnyAdapter) -> None:
        """Connect as a second process of the same client identifier would."""
        (link,) = (carrier.link for carrier in adapter._shared.air._carriers)  # type: ignore[attr-defined] # of this adapter, not of any
        client = gmqtt.Client(link._client_id, clean_session=True)
        client.set_config({"reconnect_retries": -2})
        await client.connect(self.server.host, self.server.mqtt_port, version=4)
        await client.disconnect()

    async def publish_garbage(self) -> None:
        """Put a payload that no node could have sent on the topic where the adapters listen."""
        cell = self.air.grid.cell(Position(LAT, LON))
        client = gmqtt.Client("vandal", clean_session=True)
        await client.connect(self.server.host, self.server.mqtt_port, version=4)
        client.publish(self.air.topics.of("event", cell, "Speed"), b"\xc1 no MessagePack", qos=1)
        await client.disconnect()

    async def restart_broker(self) -> None:
        self.server.kill()
        self.server.start()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with NatsServer(ServerSpec("air", tmp_path_factory.mktemp("air"), mqtt=True)) as running:
        yield running


class TestSteamAdapter(AdapterConformance):
    @pytest.fixture
    async def bench(self, server: NatsServer) -> AsyncIterator[SteamBench]:
        made = SteamBench(server)
        async with made.air:
            yield made
