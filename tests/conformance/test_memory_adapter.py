"""The in-memory event service passes the adapter suite."""

import asyncio
import itertools
from typing import ClassVar

import pytest
from eventservices.stamp import Stamp
from fes.adapter.base import AnyAdapter
from fes.adapter.pool import ConnectionPool
from fes.model import Event
from fes.testing.conformance.adapter import AdapterConformance
from fes.testing.conformance.bench import AdapterBench, NativeEvent
from fes.testing.memory import MemoryAdapter, MemoryClient, MemoryEvent, buses
from support.processes.contexts import adapter_context

_names = itertools.count()


class MemoryBench(AdapterBench):
    """Adapters and a native client of one event service in memory."""

    exemptions: ClassVar[dict[str, str]] = {
        "unreadable": "events in memory are objects: there are no bytes to be unreadable"
    }

    def __init__(self) -> None:
        self.bus = buses[f"conformance {next(_names)}"]
        self.client = MemoryClient(self.bus, "native")
        self.pool = ConnectionPool()

    async def adapter(self, name: str) -> AnyAdapter:
        return MemoryAdapter(adapter_context(name, self.bus.name, MemoryAdapter, self.pool))

    async def publish_natively(self, event: Event, time_us: int) -> Stamp:
        return self.client.publish(event, time_us)

    async def listen_natively(self, subject: str) -> list[NativeEvent]:
        found: list[NativeEvent] = []
        client = self.client

        def take(item: MemoryEvent) -> None:
            if item.event.subject == subject and (
                item.stamp is None or not client.suppressor.repeated(item.stamp)
            ):
                found.append(NativeEvent(item.event, item.stamp))

        self.client.close()
        self.bus.listen(take)
        return found

    async def publish_garbage(self) -> None:
        raise AssertionError("an exempt event service is not asked")

    async def restart_broker(self) -> None:
        self.bus.up = False
        await asyncio.sleep(0)
        self.bus.up = True


class TestMemoryAdapter(AdapterConformance):
    @pytest.fixture
    def bench(self) -> MemoryBench:
        return MemoryBench()
