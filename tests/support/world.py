"""A whole federation in one thread: real gateway cores, event services and networks made up.

Everything is decided by a seed: topology, requests, events, delays. Channels keep their order,
as brokers and links do. Nothing here is shared with the code that is judged, but the core itself
and the filter language.
"""

import heapq
import random
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from eventservices.suppress import Suppressor
from fes.control import RequestType
from fes.control.event import ControlEvent
from fes.federation.topology import Routes
from fes.filter import Filter
from fes.gateway import AdapterSettings, GatewayCore, GatewaySettings
from fes.gateway.inputs import Inject, LinkDown, LinkUp, Tick
from fes.gateway.outputs import Decided, DropRow, PutRow, ToAdapter
from fes.gateway.settings import Instant
from fes.link.messages import (
    Announce,
    Desired,
    Heard,
    HeardControl,
    Publish,
    PublishControl,
    Subscribe,
    Unannounce,
    Unsubscribe,
)
from fes.model import Event, Identity, Stamp, binary

SYSTEM = "world"
SECOND = 1_000_000

Chain = tuple[str, ...]
"""The gateways that an event passed, in order."""


@dataclass
class Access:
    """What one adapter knows: the model of `fes.adapter`, without its input and output."""

    service: str
    gateway: str
    filters: dict[int, Filter] = field(default_factory=dict)
    announced: dict[int, str] = field(default_factory=dict)
    suppressor: Suppressor = field(default_factory=Suppressor)
    desired: int = 0
    heard: int = 0


@dataclass
class Delivery:
    """An event as a native client got it; `chain` names the gateways that passed it."""

    identity: Identity
    home: str
    number: int
    via: tuple[str, ...]
    chain: tuple[str, ...]
    at_us: int


@dataclass(frozen=True)
class Topology:
    """Attachments in the file's order, and which event services are on the air."""

    kind: str
    attachments: tuple[tuple[str, str], ...]
    air: tuple[str, ...] = ()

    @property
    def services(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(service for _, service in self.attachments))

    @property
    def gateways(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(gateway for gateway, _ in self.attachments))


class World:
    """Runs one federation to the end of its script."""

    def __init__(self, topology: Topology, seed: int) -> None:
        self.topology = topology
        self.rng = random.Random(seed)
        self.now_us = SECOND
        self.deliveries: dict[str, list[Delivery]] = defaultdict(list)
        self.published: Counter[tuple[str, str, Identity]] = Counter()
        self.control_sent = 0
        self.last_control_us = 0
        self.decisions: Counter[tuple[str, str]] = Counter()
        self.unannounced: list[str] = []
        self.suppressors: dict[str, Suppressor] = defaultdict(Suppressor)
        self.access: dict[tuple[str, str], Access] = {}
        self.cores: dict[str, GatewayCore] = {}
        self.journals: dict[str, dict[str, bytes]] = defaultdict(dict)
        self._queue: list[tuple[int, int, Callable[[], None]]] = []
        self._count = 0
        self._channels: dict[object, int] = {}
        self._sequences: Counter[str] = Counter()
        for gateway in topology.gateways:
            self.start(gateway)

    def settings(self, gateway: str) -> GatewaySettings:
        """The settings of a gateway in this topology."""
        mediums = dict.fromkeys(self.topology.air, "air")
        return GatewaySettings(
            id=gateway,
            system=SYSTEM,
            adapters={
                service: AdapterSettings(
                    f"{gateway}.{service}", service, on_medium=service in mediums
                )
                for name, service in self.topology.attachments
                if name == gateway
            },
            services=self.topology.services,
            hops=Routes(self.topology.attachments, mediums).hops(gateway),
            announcement_us=20 * SECOND,
            horizon_us=60 * SECOND,
        )

    def start(self, gateway: str) -> None:
        """Start a gateway from its journal."""
        core = GatewayCore(self.settings(gateway), list(self.journals[gateway].values()))
        self.cores[gateway] = core
        for name, service in self.topology.attachments:
            if name == gateway:
                self.access[gateway, service] = Access(service, gateway)
                self.handle(gateway, LinkUp(), service)

    def kill(self, gateway: str) -> None:
        """End a gateway and its adapters; only the journal is left."""
        del self.cores[gateway]

    def at(self, delay_us: int, act: Callable[[], None]) -> None:
        """Have something happen later."""
        self._count += 1
        heapq.heappush(self._queue, (self.now_us + delay_us, self._count, act))

    def over(self, channel: object, act: Callable[[], None]) -> None:
        """Have something arrive over a channel that keeps its order."""
        when = self.now_us + self.rng.randint(1_000, 5_000)
        when = max(when, self._channels.get(channel, 0))
        self._channels[channel] = when
        self.at(when - self.now_us, act)

    def run(self, until_us: int, limit: int = 200_000) -> int:
        """Let the time go on; returns the number of steps, at most `limit`."""
        steps = 0
        while self._queue and self._queue[0][0] <= until_us and steps < limit:
            self.now_us, _, act = heapq.heappop(self._queue)
            act()
            steps += 1
        self.now_us = max(self.now_us, until_us)
        return steps

    def tick(self) -> None:
        """Tell every gateway that time passed."""
        for gateway in list(self.cores):
            self.handle(gateway, Tick())

    def emit(self, service: str, origin: str, number: int) -> Identity:
        """A native client publishes an event with a number."""
        self._sequences[origin] += 1
        stamp = Stamp(origin, 1, self._sequences[origin], self.now_us, service)
        self.surface(service, Event.of("Reading", number=number), stamp, ())
        return stamp.identity

    def inject(self, gateway: str, request: ControlEvent) -> None:
        """A client makes a request at a gateway."""
        if gateway in self.cores:
            self.handle(gateway, Inject(request))

    def say(self, service: str, request: ControlEvent) -> None:
        """A FES-aware client makes a request on its own event service."""
        from fes.control import to_event  # noqa: PLC0415 - only worlds with such clients need it

        self.control(service, binary.encode(to_event(request)), request.stamp, None)

    def request(
        self, kind: RequestType, source: str, dist_list: str, least: int, requester: str = "client"
    ) -> ControlEvent:
        """A request for events whose number is at least `least`."""
        self._sequences["requests"] += 1
        return ControlEvent(
            stamp=Stamp("requests", 1, self._sequences["requests"], self.now_us, source),
            system=SYSTEM,
            type=kind,
            source=source,
            dist_list=dist_list,
            filter=f"subject = 'Reading' AND number >= {least}",
            requester=requester,
            version=self.now_us,
        )

    def handle(self, gateway: str, message: object, service: str = "", chain: Chain = ()) -> None:
        """A gateway takes an input: commits, then performs."""
        core = self.cores.get(gateway)
        if core is None:
            return
        mutations, outputs = core.handle(message, Instant(self.now_us, self.now_us), service)
        for mutation in mutations:
            match mutation:
                case PutRow(key, value):
                    self.journals[gateway][key] = value
                case DropRow(key):
                    self.journals[gateway].pop(key, None)
        for output in outputs:
            if isinstance(output, Decided):
                self.decisions[output.decision, output.reason] += 1
            elif isinstance(output, ToAdapter):
                self.over(
                    ("link", gateway, output.service), self._order(core, output, (*chain, gateway))
                )

    def hears(self, service: str) -> list[str]:
        """The event services where what is published at one surfaces."""
        return list(self.topology.air) if service in self.topology.air else [service]

    def surface(
        self, service: str, event: Event, stamp: Stamp, via: tuple[str, ...], chain: Chain = ()
    ) -> None:
        """An event is published natively: native clients and adapters hear it."""
        number = event.parameter("number")
        for heard_at in self.hears(service):
            if not self.suppressors[heard_at].repeated(stamp):
                self.deliveries[heard_at].append(
                    Delivery(stamp.identity, stamp.home, number, via, chain, self.now_us)
                )
            for gateway, attached in self.topology.attachments:
                if attached == heard_at:
                    access = self.access[gateway, attached]
                    self.over(
                        ("native", service, heard_at, gateway),
                        lambda access=access: self._hear(access, event, stamp, via, chain),
                    )

    def control(
        self, service: str, body: bytes, stamp: Stamp | None, by: str | None, chain: Chain = ()
    ) -> None:
        """A control event is published natively: the other gateways hear it."""
        self.control_sent += 1
        self.last_control_us = self.now_us
        for heard_at in self.hears(service):
            for gateway, attached in self.topology.attachments:
                if attached == heard_at and gateway != by:
                    self.over(
                        ("native", service, heard_at, gateway),
                        lambda gateway=gateway, attached=attached: self.handle(
                            gateway, HeardControl(stamp, body), attached, chain
                        ),
                    )

    def _order(self, core: GatewayCore, output: ToAdapter, chain: Chain) -> Callable[[], None]:
        def perform() -> None:
            gateway = chain[-1]
            if self.cores.get(gateway) is core:
                self._perform(self.access[gateway, output.service], output.order, chain)

        return perform

    def _perform(self, access: Access, order: object, chain: Chain) -> None:
        match order:
            case Subscribe(number, text, version):
                access.filters[number] = Filter.of(text)
                access.desired = version
            case Unsubscribe(number, version):
                access.filters.pop(number, None)
                access.desired = version
            case Announce(number, body):
                access.announced[number] = binary.decode(body).subject
            case Unannounce(number):
                access.announced.pop(number, None)
            case Desired(version, subscriptions, announcements):
                access.filters = {sub.number: Filter.of(sub.filter) for sub in subscriptions}
                access.announced = {a.number: binary.decode(a.body).subject for a in announcements}
                access.desired = version
            case Publish(stamp, via, _, body):
                self._publish(access, binary.decode(body), stamp, via, chain)
            case PublishControl(body):
                self.control(access.service, body, None, access.gateway, chain)

    def _publish(
        self, access: Access, event: Event, stamp: Stamp, via: tuple[str, ...], chain: Chain
    ) -> None:
        if event.subject not in access.announced.values():
            self.unannounced.append(f"{stamp.identity} at {access.service}")
        self.published[access.gateway, access.service, stamp.identity] += 1
        self.surface(access.service, event, stamp, via, chain)

    def _hear(
        self, access: Access, event: Event, stamp: Stamp, via: tuple[str, ...], chain: Chain
    ) -> None:
        if access.gateway not in self.cores or access.suppressor.repeated(stamp):
            return
        matched = tuple(n for n, each in access.filters.items() if each.matches(event))
        if matched:
            access.heard += 1
            heard = Heard(
                stamp,
                via,
                event.subject,
                matched,
                access.desired,
                0,
                0,
                False,
                binary.encode(event),
            )
            self.handle(access.gateway, heard, access.service, chain)


__all__ = ["SECOND", "SYSTEM", "Delivery", "LinkDown", "Topology", "World"]
