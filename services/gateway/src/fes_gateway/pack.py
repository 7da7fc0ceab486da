"""Several gateways with their adapters in one process.

They share one loop, one event log, one thread for the journals and connections to brokers; each
gateway has its own core, journal and identity, as it would alone.
"""

import asyncio
import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

from eventservices.ending import ended
from eventservices.slices import shared_slice
from fes import distribution
from fes.adapter import AdapterRuntime
from fes.adapter.assemble import assemble
from fes.adapter.pool import ConnectionPool
from fes.control import ControlEvent, RequestType
from fes.control.event import WITHDRAWING
from fes.eventlog import EventLog
from fes.federation.clock import clock_of
from fes.federation.model import Federation, Request, adapter_id
from fes.federation.topology import Topology
from fes.filter import canonical, parse
from fes.gateway import GatewaySettings
from fes.link.memory import memory_link
from fes.model import Stamp, binary
from fes.model.text import from_plain
from msgspec import UNSET
from serving.collector import Collector
from serving.turns import TurnMeter

from fes_gateway.deciding.refusals import STATIC
from fes_gateway.guide import Guide
from fes_gateway.host import GatewayHost
from fes_gateway.store import open_journal
from fes_gateway.watched import watched

_log = logging.getLogger(__name__)

TICK_ERROR = 300
"""Most characters of the reason why a tick failed."""
TICK_S = 1.0
TICKS = 50
"""Most ticks of a gateway that follow one another, while more events are due than one delivers."""

NOBODY = Stamp("unstamped", 0, 1, 0, "unstamped")


@dataclass(frozen=True, slots=True)
class PackSettings:
    """What a process hosts.

    Attributes:
        process: Name of the process, for its logs.
        gateways: Identifiers of its gateways.
        remote: Identifiers of their adapters that run in other processes.
        run: Folder of the run, for logs and journals.
        replica: Name of this process among the replicas of its gateways; "" where there are none.
        clock: File that states when the federation clock begins; None where the federation file
            does.
    """

    process: str
    gateways: tuple[str, ...]
    remote: frozenset[str]
    run: Path
    replica: str = ""
    clock: Path | None = None


class Pack:
    """Hosts gateways and adapters.

    Args:
        federation: The file, checked and resolved.
        settings: What this process hosts.
        base: Folder of the file.

    Attributes:
        failed: Set once a gateway no longer works, so that the process has to end.
    """

    def __init__(self, federation: Federation, settings: PackSettings, base: Path) -> None:
        self.federation = federation
        self.settings = settings
        self.clock = clock_of(federation.clock, settings.clock)
        bounds = federation.event_log
        self.log = EventLog(
            settings.run / "logs",
            settings.process,
            file_bytes=bounds.file_bytes,
            files=bounds.files,
            sample=bounds.sample,
        )
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="journal")
        self._pool = ConnectionPool()
        self.meter = TurnMeter()
        self.collector = Collector()
        self._topology = Topology.of(federation)
        self.hosts = {name: self._host(name) for name in settings.gateways}
        self.runtimes = [
            self._runtime(name, service, base)
            for name in settings.gateways
            for service in federation.gateways[name].adapters
            if adapter_id(name, service) not in settings.remote
        ]
        self.failed = asyncio.Event()
        self._ticker: asyncio.Task[None] | None = None
        self._guide: Guide | None = None

    async def __aenter__(self) -> Self:
        """Start the gateways, then their adapters, then make the static requests."""
        try:
            await self._start()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def _start(self) -> None:
        self.meter.start()
        self.collector.start()
        own = shared_slice()  # so that gateways that have started are not blocked by the others
        for name, host in self.hosts.items():
            host.on_lead = partial(self._make_static, name, host)
            host.on_failed = self.failed.set
            await own.turn()
            await host.start()
            own.end()
        for runtime in self.runtimes:
            gateway = runtime.adapter.id.removesuffix(f".{runtime.adapter.event_service_id}")
            await own.turn()
            self._link(self.hosts[gateway], runtime)
            await runtime.__aenter__()
            own.end()
        for host in self.hosts.values():
            if host.replica is None:
                await own.turn()
                host.on_lead()
                own.end()
        self._guide = Guide(self.federation, self.hosts, self._name)
        await self._guide.start()
        self.collector.accept_growth()
        self._ticker = watched(self._tick(), "tick", self._fail)

    async def __aexit__(self, *_: object) -> None:
        """Stop in order: adapters withdraw, journals close, the log ends."""
        if self._guide is not None:
            await self._guide.stop()
        await ended(self._ticker)
        await asyncio.gather(*(runtime.stop() for runtime in self.runtimes), return_exceptions=True)
        for host in self.hosts.values():
            await host.stop()
        self._executor.shutdown()
        self.log.close()
        self.meter.stop()
        self.collector.stop()

    def abandon(self) -> None:
        """Close only the log: native subscriptions stay, as after a kill."""
        self.log.close()

    @property
    def ready(self) -> bool:
        """Whether every gateway is ready."""
        return all(host.ready for host in self.hosts.values())

    @property
    def _name(self) -> str:
        """Name of this process among all that have gateways of the federation."""
        settings = self.settings
        return f"{self.federation.system}-{settings.process}-{settings.replica}"

    def _host(self, name: str) -> GatewayHost:
        return GatewayHost(
            GatewaySettings.of(self.federation, name, self._topology),
            open_journal(self.federation, name, self.settings.run),
            self._executor,
            self.log,
            self.clock,
            self.settings.replica,
        )

    def _runtime(self, gateway: str, service: str, base: Path) -> AdapterRuntime:
        adapter = assemble(
            self.federation,
            gateway,
            service,
            pool=self._pool,
            clock=self.clock,
            base=base,
        )
        return AdapterRuntime(adapter, self.log)

    @staticmethod
    def _link(host: GatewayHost, runtime: AdapterRuntime) -> None:
        near, far = memory_link()
        service = runtime.adapter.event_service_id
        near.receive_with(host.receiver(service))
        far.receive_with(runtime.receive)
        near.displaced_with(host.displaced)
        far.displaced_with(runtime.displaced)
        runtime.attach(far)
        host.attach(service, near, runtime.adapter.capabilities.by_name())

    def _make_static(self, name: str, host: GatewayHost) -> None:
        requests = [request for request in self.federation.requests if request.gateway == name]
        for control in withdrawn(host, requests, self.federation.system):
            host.inject(control)
        for request in requests:
            host.inject(control_of(request, self.federation.system))

    def _fail(self, reason: str) -> None:
        for host in self.hosts.values():
            host.fail(reason)

    async def _tick(self) -> None:
        pause_s = min(TICK_S, self.federation.limits.hello_s)
        while True:
            await asyncio.sleep(pause_s)
            own = shared_slice()
            for host in self.hosts.values():
                for _ in range(TICKS):
                    await own.turn()
                    self._tick_one(host)
                    own.end()
                    if host.tick_error or not host.is_behind:
                        break

    @staticmethod
    def _tick_one(host: GatewayHost) -> None:
        try:
            host.tick()
            host.tick_error = ""
        except Exception as error:  # noqa: BLE001 - time passes for the other gateways
            host.tick_error = f"its ticks fail: {type(error).__name__}: {error}"[:TICK_ERROR]
            _log.exception("tick_failed", extra={"gateway": host.settings.id})
            host.counters.add("tick_failed")


def control_of(request: Request, system: str) -> ControlEvent:
    """Return the control event for a request in the file."""
    return ControlEvent(
        stamp=NOBODY,
        system=system,
        type=RequestType[request.type.upper()],
        source=request.source,
        dist_list=request.dist_list,
        filter="" if request.filter is UNSET else request.filter,
        event=None if request.event is UNSET else from_plain(request.event, "event"),
        requester=f"{STATIC}/{request.gateway}",
    )


def what(request: Request) -> str:
    """Return the filter or subject of a request in the file, as the request table keys it."""
    if request.event is not UNSET:
        return str(request.event.get("subject", ""))
    return "" if request.filter is UNSET else canonical(parse(request.filter))


def withdrawn(host: GatewayHost, requests: Sequence[Request], system: str) -> list[ControlEvent]:
    """Return the withdrawals of requests of an earlier start that are no longer in the file."""
    withdrawing = {registry: name for name, registry in WITHDRAWING.items()}
    kept = {
        (request.source, what(request), pattern)
        for request in requests
        for pattern in distribution.parse_list(request.dist_list)
    }
    return [
        ControlEvent(
            stamp=NOBODY,
            system=system,
            type=withdrawing[row.kind],
            source=row.source,
            dist_list=row.pattern,
            filter=row.filter,
            event=binary.decode(row.body) if row.body else None,
            requester=row.requester,
        )
        for row in host.core.table.rows()
        if row.requester == f"{STATIC}/{host.settings.id}"
        and not row.withdrawn
        and (row.source, row.what, row.pattern) not in kept
    ]
