"""A federation of event services in memory, hosted as `fes run` hosts it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from fes.federation.load import loads
from fes.testing.eventually import eventually
from fes.testing.memory import MemoryBus, MemoryClient, buses
from fes_gateway.http.server import server_of
from fes_gateway.pack import Pack, PackSettings

CHAIN = """
version: 1
system: test
event_services:
  north: {kind: memory, settings: {bus: "%(tag)s north"}}
  middle: {kind: memory, settings: {bus: "%(tag)s middle"}}
  south: {kind: memory, settings: {bus: "%(tag)s south"}}
gateways:
  g1: {adapters: {north: {}, middle: {}}}
  g2: {adapters: {middle: {}, south: {}}}
"""


@dataclass
class Running:
    """A pack at work, with its REST interface and native clients."""

    pack: Pack
    tag: str
    url: str
    http: httpx.AsyncClient

    def bus(self, service: str) -> MemoryBus:
        return buses[f"{self.tag} {service}"]

    def client(self, service: str, name: str) -> MemoryClient:
        bus = self.bus(service)
        bus.name = service
        return MemoryClient(bus, name)

    async def post(self, gateway: str, **body: object) -> httpx.Response:
        return await self.http.post(f"{self.url}/gateways/{gateway}/v1/requests", json=body)

    async def get(self, gateway: str, path: str) -> httpx.Response:
        return await self.http.get(f"{self.url}/gateways/{gateway}{path}")


@asynccontextmanager
async def running(folder: Path, text: str = CHAIN) -> AsyncIterator[Running]:
    """Host every gateway of a federation file in this process."""
    tag = str(folder)
    federation = loads(text % {"tag": tag}, {})
    settings = PackSettings("test", tuple(federation.gateways), frozenset(), folder)
    pack = Pack(federation, settings, folder)
    server = server_of(pack, "127.0.0.1", 0)
    async with pack, httpx.AsyncClient(timeout=5) as http:
        await server.start()
        try:
            await eventually(lambda: pack.ready, what="pack ready")
            yield Running(pack, tag, server.url, http)
        finally:
            await server.stop()
