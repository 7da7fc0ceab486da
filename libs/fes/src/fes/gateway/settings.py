"""Settings of a gateway core, derived from the federation file."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec import UNSET

from fes.control import RequestType
from fes.federation.bounds import MIB
from fes.federation.model import Adapter, Federation, adapter_id, is_on_medium
from fes.federation.scopes.build import graph_of
from fes.federation.scopes.management import manager_of
from fes.federation.scopes.model import ScopePart
from fes.federation.topology import Topology
from fes.scopes import Graph

NOWHERE = Topology()
"""The topology of a gateway without others."""


class Instant(NamedTuple):
    """A moment on three clocks, microseconds.

    Attributes:
        wall_us: The wall clock, since 1970 UTC: for people to read. It may be set.
        time_us: The federation clock, since 1970 UTC: when events expire, and begin.
        mono_us: A clock that only goes forward, with any start: how long something lasts. None
            where the wall clock is one.
    """

    wall_us: int
    time_us: int
    mono_us: int | None = None

    @property
    def steady_us(self) -> int:
        """The clock that only goes forward."""
        return self.wall_us if self.mono_us is None else self.mono_us


@dataclass(frozen=True, slots=True)
class AdapterSettings:
    """Settings of one adapter.

    Attributes:
        id: Adapter identifier.
        service: Event service that it connects to.
        accept: Types of control events that may enter from there.
        relay: Whether requests are forwarded there.
        repeats: Whether this gateway repeats a client's request on the service that it came
            from, for gateways that missed it; the first one attached in the file does.
        on_medium: Whether the service is an access point of a shared wireless medium.
    """

    id: str
    service: str
    accept: frozenset[RequestType] = frozenset(RequestType)
    relay: bool = True
    repeats: bool = True
    on_medium: bool = False


@dataclass(frozen=True, slots=True)
class GuidanceSettings:
    """Which services a gateway queries about requests.

    Attributes:
        naming: Whether there is a naming service.
        policy: Whether there is a policy service.
        users: User that an event service's requests are decided for; its own name otherwise.
        devices: Type of device that an event service is.
        other: Type of device that the others are.
    """

    naming: bool = False
    policy: bool = False
    users: Mapping[str, str] = field(default_factory=dict)
    devices: Mapping[str, str] = field(default_factory=dict)
    other: str = ""

    @property
    def on(self) -> bool:
        """Whether there is a service to query."""
        return self.naming or self.policy

    def user(self, service: str) -> str:
        """Return the user that an event service's requests are decided for."""
        return self.users.get(service, service)

    def device(self, service: str) -> str:
        """Return the type of device that an event service is."""
        return self.devices.get(service, self.other)


@dataclass(frozen=True, slots=True)
class GatewaySettings:
    """Settings of one gateway.

    Attributes:
        id: Gateway identifier.
        system: System identifier; control events of another are ignored.
        adapters: By event service, in the file's order.
        services: Every event service of the federation, in the file's order.
        topology: Which gateway is attached where; routes follow from it.
        hello_us: How often the gateway sends a hello, where there are few gateways.
        announcement_us: Life of a fabricated announcement that no publication renews.
        horizon_us: How long an unsubscription is remembered: longer than any separation.
        max_hops: Most event services that an event passes.
        max_requests: Most rows in the request table; a request above it is refused.
        requests_bytes: Most bytes that those rows account for.
        request_rate: New requests a second of the clients of each event service, in the long run.
        max_patterns: Most patterns in a request's distribution list.
        window: Sequence numbers of each origin in the window of delivery records of a destination.
        origins: Origins in the delivery records of a destination.
        custody: Most rows in custody for each destination; above it persistent events are not
            accepted.
        custody_bytes: Most bytes that rows in custody account for.
        marks: Most delivery records of deleted rows; the oldest is deleted first.
        in_flight: Most rows of one lane in transit without an answer.
        retry_us: How long to wait for an answer before rows are sent again.
        retransmission_us: How long delivery records are kept: longer than a copy may still come.
        waiting: Most best-effort events that wait for their `StartTime`.
        waiting_bytes: Most bytes that these account for.
        announced_bytes: Most bytes of the fabricated announcements at each event service.
        guidance: Which services it queries about requests.
        known: The event services of the federation, to look one up.
        scopes: Who sees what of whom; everybody sees everything where it is empty.
        scope_manager: Gateway that manages their mappings and policies; empty where none has to.
        scope_parts: The scopes as the file declares them.
        gateways: Event services of each gateway of the file; the first one orders changes of
            scopes.
    """

    id: str
    system: str
    adapters: Mapping[str, AdapterSettings]
    services: tuple[str, ...]
    topology: Topology = NOWHERE
    hello_us: int = 1_000_000
    announcement_us: int = 60_000_000
    horizon_us: int = 3_600_000_000
    max_hops: int = 8
    max_requests: int = 10_000
    requests_bytes: int = 8 * MIB
    request_rate: int = 200
    max_patterns: int = 64
    window: int = 4096
    origins: int = 4000
    custody: int = 10_000
    custody_bytes: int = 8 * MIB
    marks: int = 50_000
    in_flight: int = 32
    retry_us: int = 2_000_000
    retransmission_us: int = 600_000_000
    waiting: int = 10_000
    waiting_bytes: int = 2 * MIB
    announced_bytes: int = MIB
    guidance: GuidanceSettings = field(default_factory=GuidanceSettings)
    scopes: Graph = field(default_factory=Graph, compare=False)
    scope_manager: str = ""
    scope_parts: Mapping[str, ScopePart] = field(default_factory=dict)
    gateways: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    known: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Derive `known` from `services`."""
        object.__setattr__(self, "known", _as_set(self.services))

    def home_of(self, home: str, arrived: str) -> str:
        """Return the event service that is an event's home, whatever its client wrote.

        Args:
            home: As the stamp states.
            arrived: Event service where the event was received.

        Returns:
            `home` where it is an event service of the federation; else the one where the event was
            received. An event on a medium may be received at several of its access points: there it
            is the first of them in the file, so that all copies have one home.
        """
        if home in self.known:
            return home
        medium = self.topology.on_medium.get(arrived)
        if medium is None:
            return arrived
        return next(name for name in self.services if self.topology.on_medium.get(name) == medium)

    @staticmethod
    def of(
        federation: Federation, gateway: str, topology: Topology | None = None
    ) -> "GatewaySettings":
        """Return the settings of one of a federation's gateways.

        Args:
            federation: The federation file, checked.
            gateway: Gateway identifier.
            topology: The federation's, where it is known already: many gateways share one.
        """
        limits = federation.limits
        scopes = graph_of(federation)
        manager = manager_of(federation, scopes)
        return GatewaySettings(
            id=gateway,
            system=federation.system,
            adapters={
                service: _adapter(federation, gateway, service, adapter)
                for service, adapter in federation.gateways[gateway].adapters.items()
            },
            services=tuple(federation.event_services),
            topology=Topology.of(federation) if topology is None else topology,
            hello_us=round(limits.hello_s * 1e6),
            announcement_us=round(limits.announcement_s * 1e6),
            horizon_us=round(limits.horizon_s * 1e6),
            max_hops=limits.hops,
            max_requests=limits.requests,
            requests_bytes=limits.requests_bytes,
            request_rate=limits.request_rate,
            max_patterns=limits.patterns,
            window=limits.window,
            origins=limits.origins,
            custody=limits.custody,
            custody_bytes=limits.custody_bytes,
            marks=limits.marks,
            in_flight=limits.in_flight,
            retry_us=round(limits.retry_s * 1e6),
            retransmission_us=round(limits.retransmission_s * 1e6),
            waiting_bytes=limits.waiting_bytes,
            announced_bytes=limits.announced_bytes,
            guidance=guidance_of(federation),
            scopes=scopes,
            scope_manager=manager,
            scope_parts=federation.scopes,
            gateways={name: tuple(each.adapters) for name, each in federation.gateways.items()},
        )


@functools.lru_cache(maxsize=8)
def _as_set(services: tuple[str, ...]) -> frozenset[str]:
    """Return the event services as a set, one for all gateways of a process."""
    return frozenset(services)


def guidance_of(federation: Federation) -> GuidanceSettings:
    """Return which services the gateways of a federation query about requests."""
    naming, policy = federation.naming is not UNSET, federation.policy
    if policy is UNSET:
        return GuidanceSettings(naming=naming)
    return GuidanceSettings(naming, True, policy.users, policy.devices, policy.device)


def _adapter(
    federation: Federation, gateway: str, service: str, adapter: Adapter
) -> AdapterSettings:
    return AdapterSettings(
        id=adapter_id(gateway, service),
        service=service,
        accept=frozenset(RequestType[word.upper()] for word in adapter.control.accepted),
        relay=adapter.control.relays,
        repeats=gateway == _first_at(federation, service),
        on_medium=is_on_medium(federation, service),
    )


def _first_at(federation: Federation, service: str) -> str:
    return next(name for name, each in federation.gateways.items() if service in each.adapters)
