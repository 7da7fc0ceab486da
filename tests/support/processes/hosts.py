"""Gateways at work in one process, on event services in memory."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from fes.adapter import AdapterRuntime
from fes.adapter.pool import ConnectionPool
from fes.control import ControlEvent, RequestType, is_signal
from fes.eventlog import NullLog
from fes.federation import Federation
from fes.federation.clock import FederationClock
from fes.federation.topology import Topology
from fes.gateway import AdapterSettings, GatewaySettings
from fes.link.memory import memory_link
from fes.model import Stamp
from fes.testing.keeping import KeepingAdapter
from fes.testing.memory import MemoryBus, MemoryEvent, buses
from fes_gateway.host import GatewayHost
from fes_gateway.store import MemoryJournal
from support.processes.contexts import adapter_context

HELLO_S = 0.3

_names = itertools.count()


@dataclass
class Running:
    """One gateway that runs, with its adapters."""

    host: GatewayHost
    runtimes: list[AdapterRuntime]
    ticking: asyncio.Task[None]


@dataclass
class Hosts:
    """Gateways of one topology, started and killed one by one.

    Attributes:
        attachments: (gateway, event service), in the file's order.
        running: By gateway.
        journals: By gateway; they outlive it.
        federation: File that gateways have their settings from; without it, from the topology.
        clock: The federation clock.
    """

    attachments: Sequence[tuple[str, str]]
    executor: ThreadPoolExecutor
    running: dict[str, Running] = field(default_factory=dict)
    journals: dict[str, MemoryJournal] = field(default_factory=dict)
    federation: Federation | None = None
    clock: FederationClock = field(default_factory=lambda: FederationClock(0, 0, 1))
    _prefix: str = field(default_factory=lambda: f"hosts {next(_names)} ")

    def bus(self, service: str) -> MemoryBus:
        """Return an event service."""
        return buses[self._prefix + service]

    async def start(self, gateway: str) -> None:
        """Start a gateway and its adapters."""
        journal = self.journals.setdefault(gateway, MemoryJournal())
        log = NullLog()
        host = GatewayHost(self._settings(gateway), journal, self.executor, log, self.clock)
        await host.start()
        runtimes = [await self._join(host, service) for service in host.settings.adapters]
        self.running[gateway] = Running(host, runtimes, asyncio.create_task(_tick(host)))

    async def kill(self, gateway: str) -> None:
        """End a gateway and its adapters at once; what was committed is left."""
        gone = self.running.pop(gateway)
        gone.ticking.cancel()
        for runtime in gone.runtimes:
            runtime.detach()
            await runtime.adapter.disconnect()
            for task in runtime._tasks:
                task.cancel()
        gone.host.committing.kill()

    async def stop(self) -> None:
        """End all."""
        for gateway in list(self.running):
            await self.kill(gateway)

    def subscribe(self, gateway: str, source: str, dist_list: str) -> None:
        """Make a subscription to everything called Reading."""
        self.running[gateway].host.inject(
            ControlEvent(
                stamp=Stamp("nobody", 0, 1, 0, "nobody"),
                system="test",
                type=RequestType.SUBSCRIPTION,
                source=source,
                dist_list=dist_list,
                filter="subject = 'Reading'",
                requester="client",
            )
        )

    def listen(self, service: str) -> list[MemoryEvent]:
        """Return what is published at an event service from now on, but for hellos."""
        found: list[MemoryEvent] = []

        def take(item: MemoryEvent) -> None:
            if not (is_signal(item.event) and item.event.parameter("Type") == 16):
                found.append(item)

        self.bus(service).listen(take)
        return found

    def _settings(self, gateway: str) -> GatewaySettings:
        if self.federation is not None:
            settings = GatewaySettings.of(self.federation, gateway)
            return replace(settings, hello_us=round(HELLO_S * 1e6), retry_us=200_000)
        services = [service for name, service in self.attachments if name == gateway]
        return GatewaySettings(
            id=gateway,
            system="test",
            adapters={name: AdapterSettings(f"{gateway}.{name}", name) for name in services},
            services=tuple(dict.fromkeys(service for _, service in self.attachments)),
            topology=Topology(tuple(self.attachments)),
            hello_us=round(HELLO_S * 1e6),
            retry_us=200_000,
        )

    async def _join(self, host: GatewayHost, service: str) -> AdapterRuntime:
        context = adapter_context(
            f"{host.settings.id}.{service}",
            service,
            KeepingAdapter,
            ConnectionPool(),
            settings={"bus": self._prefix + service},
        )
        adapter = KeepingAdapter(context)
        runtime = AdapterRuntime(adapter, NullLog())
        near, far = memory_link()
        near.receive_with(host.receiver(service))
        far.receive_with(runtime.receive)
        runtime.attach(far)
        host.attach(service, near, adapter.capabilities.by_name())
        await runtime.__aenter__()
        return runtime


async def _tick(host: GatewayHost) -> None:
    while True:
        await asyncio.sleep(HELLO_S)
        host.tick()


@asynccontextmanager
async def hosts(*attachments: tuple[str, str]) -> AsyncIterator[Hosts]:
    """Have gateways of a topology; none is started."""
    with ThreadPoolExecutor(1) as executor:
        federation = Hosts(attachments, executor)
        try:
            yield federation
        finally:
            await federation.stop()


@asynccontextmanager
async def hosts_of(federation: Federation) -> AsyncIterator[Hosts]:
    """Have the gateways of a federation file; none is started."""
    attachments = [
        (name, service) for name, each in federation.gateways.items() for service in each.adapters
    ]
    async with hosts(*attachments) as found:
        found.federation, found.clock = federation, FederationClock()
        yield found
