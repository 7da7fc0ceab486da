"""Replicas of a gateway in one process, over one journal in memory, with links that note all."""

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx
from fes.control import ControlEvent, RequestType
from fes.eventlog import NullLog
from fes.federation.clock import FederationClock
from fes.gateway import AdapterSettings, GatewaySettings
from fes.gateway.replication import Role
from fes.link.end import Message
from fes.link.messages import Heard
from fes.model import Event, Stamp, binary
from fes.testing.eventually import eventually
from fes_gateway.host import GatewayHost
from fes_gateway.http import app as app_module
from fes_gateway.http.addressed import HOST
from fes_gateway.store import MemoryJournal
from fes_gateway.store.memory import MemoryPlace
from starlette.types import Receive, Scope, Send

SERVICES = ("north", "south")
KEEPS = {"persistent": True, "suppresses": True}


@dataclass
class End:
    """A gateway's end of a link whose adapter notes what it is told."""

    told: list[Message] = field(default_factory=list)
    counters: dict[str, int] = field(default_factory=dict)

    def send(self, message: Message) -> bool:
        self.told.append(message)
        return True

    async def close(self) -> None: ...

    def of(self, kind: type[Message]) -> list[Message]:
        return [each for each in self.told if isinstance(each, kind)]


@dataclass
class Town:
    """Replicas by name, and their ends by replica and event service."""

    place: MemoryPlace = field(default_factory=MemoryPlace)
    hosts: dict[str, GatewayHost] = field(default_factory=dict)
    ends: dict[tuple[str, str], End] = field(default_factory=dict)
    executors: list[ThreadPoolExecutor] = field(default_factory=list)

    async def start(self, name: str, *, linked: bool = True) -> GatewayHost:
        executor = ThreadPoolExecutor(1)
        self.executors.append(executor)
        clock = FederationClock(0, 0, 1)
        journal = MemoryJournal(self.place)
        host = GatewayHost(settings(), journal, executor, NullLog(), clock, name)
        await host.start()
        self.hosts[name] = host
        if linked:
            self.link(name)
        return host

    def link(self, name: str) -> None:
        for service in SERVICES:
            end = self.ends[name, service] = End()
            self.hosts[name].attach(service, end, KEEPS)

    def kill(self, name: str) -> None:
        host = self.hosts.pop(name)
        assert host.replica is not None
        host.replica.kill()
        host.committing.kill()

    def leaders(self) -> list[str]:
        return [name for name, host in self.hosts.items() if host.core.role is Role.LEADING]

    def members(self, name: str) -> tuple[str, ...]:
        replica = self.hosts[name].replica
        assert replica is not None
        return replica.membership.members


def settings() -> GatewaySettings:
    return GatewaySettings(
        id="g1",
        system="test",
        adapters={name: AdapterSettings(f"g1.{name}", name) for name in SERVICES},
        services=SERVICES,
    )


def subscription() -> ControlEvent:
    return ControlEvent(
        stamp=Stamp("nobody", 0, 1, 0, "nobody"),
        system="test",
        type=RequestType.SUBSCRIPTION,
        source="south",
        dist_list="north",
        filter="subject = 'Speed'",
        requester="client",
    )


def speed(host: GatewayHost, sequence: int, token: int = 0) -> Heard:
    numbers = tuple(applied.number for applied in host.core.applied("north"))
    body = binary.encode(Event.of("Speed", rate=1.0))
    stamp = Stamp("car", 1, sequence, 0, "north")
    return Heard(stamp, (), "Speed", numbers, 1, 0, 0, bool(token), body, 0, token)


@asynccontextmanager
async def town(*names: str) -> AsyncIterator[Town]:
    found = Town()
    try:
        for name in names:
            await found.start(name)
        await eventually(lambda: all(len(found.members(n)) == len(names) for n in names))
        yield found
    finally:
        for host in found.hosts.values():
            await host.stop()
        for executor in found.executors:
            executor.shutdown()


SUBSCRIPTION = {
    "type": "subscription",
    "source": "south",
    "dist_list": "north",
    "filter": "subject = 'Speed'",
}


def client_of(host: GatewayHost) -> httpx.AsyncClient:
    """Return a client of a gateway's REST interface."""
    app = app_module.make_app()

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, HOST: host}, receive, send)

    return httpx.AsyncClient(transport=httpx.ASGITransport(serve), base_url="http://gateway")
