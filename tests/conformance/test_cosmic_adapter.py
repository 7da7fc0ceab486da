"""COSMIC passes the adapter suite, on a bus in memory and on one between sockets."""

from collections.abc import AsyncIterator
from typing import ClassVar

import pytest
from adapter_cosmic.adapter import CosmicAdapter
from adapter_cosmic.codec import to_fes, to_record
from eventservices.cosmic import (
    Broker,
    Bus,
    BusSettings,
    Delivery,
    Frame,
    Identifier,
    NodeSettings,
)
from eventservices.cosmic import Event as CosmicEvent
from eventservices.cosmic.record import decode, encode
from eventservices.stamp import Stamp
from fes.adapter.base import AnyAdapter
from fes.adapter.pool import ConnectionPool
from fes.model import Event
from fes.testing.conformance.adapter import AdapterConformance
from fes.testing.conformance.bench import AdapterBench, NativeEvent
from support.processes.canbus import multicast, virtual
from support.processes.contexts import adapter_context

NODE = 3


class CosmicBench(AdapterBench):
    """Adapters of one process, and a native node beside the broker in another bus object."""

    exemptions: ClassVar[dict[str, str]] = {
        "restart": "a CAN bus has no broker that could be killed"
    }

    def __init__(self, settings: BusSettings) -> None:
        self.interface = settings.interface
        self.pool = ConnectionPool()
        self.bus = Bus(settings)

    async def open(self) -> None:
        await self.bus.open()
        self.broker = Broker(self.bus, numbers=frozenset({NODE}))
        self.node = self.bus.node(NodeSettings("native", NODE, "home"))

    async def adapter(self, name: str) -> AnyAdapter:
        settings = {
            "interface": self.interface.kind,
            "channel": self.interface.channel,
            "port": self.interface.port,
            "bit_rate": 0,
            "broker": "elsewhere",
        }
        return CosmicAdapter(
            adapter_context(name, "cosmic", CosmicAdapter, self.pool, settings=settings)
        )

    async def publish_natively(self, event: Event, time_us: int) -> Stamp:
        if event.subject not in self.node.announced:
            await self.node.announce(event.subject)
        content = encode(to_record(event.subject, event))
        said = CosmicEvent(event.subject, content, typed=True)
        stamp = self.node.publish(said, time_us=time_us)
        assert stamp is not None
        return stamp

    async def listen_natively(self, subject: str) -> list[NativeEvent]:
        found: list[NativeEvent] = []

        def take(heard: Delivery) -> None:
            found.append(NativeEvent(to_fes(decode(heard.content)), heard.stamp))

        await self.node.subscribe(subject, on_event=take)
        return found

    async def publish_garbage(self) -> None:
        """Put a fragment that begins an event, and has attributes that are none, on Speed."""
        etag = self.broker.etags.bind(b"Speed\0\0\0")
        can_id = Identifier(254, 5, etag).can_id
        self.node.send_frame(Frame(can_id, bytes.fromhex("601f0001c1")))

    async def restart_broker(self) -> None:
        raise AssertionError(self.exemptions["restart"])


class TestCosmicAdapterInMemory(AdapterConformance):
    @pytest.fixture
    async def bench(self) -> AsyncIterator[CosmicBench]:
        made = CosmicBench(virtual())
        await made.open()
        yield made
        await made.bus.close()


class TestCosmicAdapterBetweenSockets(AdapterConformance):
    @pytest.fixture
    async def bench(self) -> AsyncIterator[CosmicBench]:
        made = CosmicBench(multicast())
        await made.open()
        yield made
        await made.bus.close()
