"""Event services of a world: who hears what is published, and what is kept for whom."""

from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from eventservices.suppress import Suppressor
from fes.control import RequestType, from_event, is_signal
from fes.link.messages import Heard, HeardControl
from fes.model import Identity, Stamp, attributes, binary
from support.access import Access, Durable, Native
from support.timeline import MS, Timeline
from support.topologies import Attachment, Topology

Chain = tuple[str, ...]
"""The gateways that an event passed, in order, and `@` where it was accepted."""

Passed = tuple[Identity, Chain]


@dataclass(frozen=True)
class Delivery:
    """An event as a native client got it; `chain` names the gateways that passed it."""

    identity: Identity
    home: str
    number: int
    persistent: bool
    priority: int
    via: tuple[str, ...]
    chain: Chain
    at_us: int


class EventServices(Timeline, ABC):
    """What happens at event services; gateways and their adapters stand beside them.

    Args:
        topology: Who is attached where.
        seed: Decides every delay and every fault.
    """

    def __init__(self, topology: Topology, seed: int) -> None:
        super().__init__(seed)
        self.topology = topology
        self.deliveries: dict[str, list[Delivery]] = defaultdict(list)
        self.faults: Counter[str] = Counter()
        self.control_sent = 0
        self.last_control_us = 0
        self.suppressors: dict[str, Suppressor] = defaultdict(Suppressor)
        self.access: dict[Attachment, Access] = {}
        self.durable: dict[Attachment, Durable] = defaultdict(Durable)
        self.apart: set[frozenset[str]] = set()
        self.lossy_until_us = 0
        self.deduplicates = self.rng.random() < 0.7
        self._trails: dict[tuple[str, Identity], Chain] = {}

    @abstractmethod
    def works(self, gateway: str, service: str) -> bool:
        """Whether a gateway runs and reaches an event service."""

    @abstractmethod
    def handle(
        self, gateway: str, message: object, service: str = "", passed: Passed | None = None
    ) -> None:
        """A gateway takes an input."""

    def hears(self, service: str) -> Iterator[str]:
        """The event services where what is published at one surfaces."""
        yield service
        if service in self.topology.air:
            for other in self.topology.air:
                if other != service and frozenset((service, other)) not in self.apart:
                    yield other

    def surface(self, service: str, native: Native, by: str) -> None:
        """An event is published natively: native clients and adapters hear it."""
        for heard_at in self.hears(service):
            self._deliver(heard_at, native)
            for gateway in self.topology.at(heard_at):
                echo = gateway == by and heard_at == service
                if echo and heard_at in self.topology.repeating:
                    continue  # a service that cannot stamp does not hear its own publications
                self._pass_native(service, heard_at, gateway, native)

    def control(self, service: str, body: bytes, stamp: Stamp | None, by: str) -> None:
        """A control event is published natively: the other gateways hear it."""
        event = binary.decode(body)
        hello = is_signal(event) and event.parameter("Type") == 16
        self.control_sent += 1
        if not hello:
            self.last_control_us = self.now_us
        passed: tuple[Identity, Chain] | None = None
        if event.parameter("Type") == RequestType.PUBLICATION:
            identity = from_event(event, stamp).stamp.identity
            passed = identity, (*self._trails.get((by, identity), ()), by)
        for heard_at in self.hears(service):
            for gateway in self.topology.at(heard_at):
                if gateway != by:
                    way = (service, heard_at, gateway)
                    self._pass_control(way, HeardControl(stamp, body), passed)

    def _pass_control(
        self,
        way: tuple[str, str, str],
        message: HeardControl,
        passed: tuple[Identity, Chain] | None,
    ) -> None:
        _, heard_at, gateway = way

        def arrive() -> None:
            if self.works(gateway, heard_at):
                self.handle(gateway, message, heard_at, passed)

        copies = self._copies()
        for _ in range(copies):
            if self.now_us < self.lossy_until_us and passed is None and self.rng.random() < 0.2:
                self.faults["reordered"] += 1
                self.at(self.rng.randint(MS, 200 * MS), arrive)
            else:
                self.over(("native", *way), arrive)

    def _copies(self) -> int:
        """How many copies of a control event arrive."""
        if self.now_us >= self.lossy_until_us:
            return 1
        chance = self.rng.random()
        if chance < 0.15:
            self.faults["dropped"] += 1
            return 0
        if chance < 0.25:
            self.faults["duplicated"] += 1
            return 2
        return 1

    def _deliver(self, service: str, native: Native) -> None:
        if self.suppressors[service].repeated(native.stamp):
            if service in self.topology.repeating:
                self.broken.append(f"doubled: {native.stamp.identity} at {service}")
            return
        self.deliveries[service].append(
            Delivery(
                native.stamp.identity,
                native.stamp.home,
                int(native.event.parameter("number")),
                attributes.is_persistent(native.event),
                attributes.priority(native.event),
                native.via,
                native.chain,
                self.now_us,
            )
        )

    def _pass_native(self, service: str, heard_at: str, gateway: str, native: Native) -> None:
        keeps = heard_at in self.topology.persistent and attributes.is_persistent(native.event)
        durable = self.durable[gateway, heard_at]
        if keeps:
            known = self.deduplicates and native.stamp.identity in durable.had
            durable.had.add(native.stamp.identity)
            if durable.wants(native.event) and not known:
                durable.kept.append(native)
                access = self.access.get((gateway, heard_at))
                if access is not None and len(durable.kept) == 1:
                    self._drain(access)
            return

        def arrive() -> None:
            access = self.access.get((gateway, heard_at))
            if access is not None and self.works(gateway, heard_at):
                self._hear(access, native, 0)

        self.over(("native", service, heard_at, gateway), arrive)

    def _drain(self, access: Access) -> None:
        """Give a gateway the oldest event that is kept for it."""
        access.token += 1
        token = access.token

        def arrive() -> None:
            place = (access.gateway, access.service)
            kept = self.durable[place].kept
            if self.access.get(place) is access and self.works(*place) and kept:
                if access.token != token or not access.settled:
                    return
                if not self._hear(access, kept[0], token):
                    self._taken(access, token, taken=True)

        self.over(("durable", access.gateway, access.service), arrive)

    def _taken(self, access: Access, token: int, *, taken: bool) -> None:
        if token != access.token:
            return  # it was given again meanwhile, and is answered again
        kept = self.durable[access.gateway, access.service].kept
        if kept and taken:
            kept.popleft()
        if kept:
            self._drain(access)

    def _hear(self, access: Access, native: Native, token: int) -> bool:
        if not token and access.suppressor.repeated(native.stamp):
            return False
        matched = access.matched(native.event)
        if not matched:
            return False
        heard = Heard(
            native.stamp,
            native.via,
            native.event.subject,
            matched,
            access.desired,
            0,
            attributes.priority(native.event),
            attributes.is_persistent(native.event),
            binary.encode(native.event),
            0,
            token,
        )
        passed = native.stamp.identity, (*native.chain, f"@{access.service}")
        self.handle(access.gateway, heard, access.service, passed)
        return True
