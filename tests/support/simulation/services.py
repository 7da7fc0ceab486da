"""Event services of a world: who hears what is published, and what is kept for whom."""

from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from eventservices.suppress import Suppressor
from fes.control import RequestType, from_event, is_signal
from fes.link.messages import Heard, HeardControl
from fes.model import Identity, Stamp, attributes, binary
from support.drawing.topologies import Attachment, Topology
from support.drawing.traits import Traits
from support.drawing.wishes import Reading
from support.simulation.access import Access, Durable, Native, decoded
from support.simulation.timeline import MS, Timeline

ACK_WAIT_US = 600 * MS
"""How long a broker that keeps events waits for an answer before it gives one again."""

Chain = tuple[str, ...]
"""The gateways that an event passed, in order, and `@` where it was accepted."""

Passed = tuple[Identity, Chain]


@dataclass(frozen=True)
class Delivery:
    """An event as a native client got it; `chain` names the gateways that passed it."""

    identity: Identity
    home: str
    said: Reading
    persistent: bool
    via: tuple[str, ...]
    chain: Chain
    at_us: int

    @property
    def accepted(self) -> Chain:
        """Where gateways accepted it on its way, in order."""
        return tuple(each for each in self.chain if each.startswith("@"))


class EventServices(Timeline, ABC):
    """What happens at event services; gateways and their adapters stand beside them.

    Args:
        topology: Who is attached where.
        seed: Decides every delay and every fault.
        traits: The bounds of links, brokers and custody.

    Attributes:
        lost: What was dropped where a queue was full, and counted: event services that an event
            does not reach by that way.
        air_loss: How much of what is said on the air a receiver misses.
        surfaced_us: When an event was published first at an event service, since the start.
    """

    def __init__(self, topology: Topology, seed: int, traits: Traits) -> None:
        super().__init__(seed)
        self.topology = topology
        self.traits = traits
        self.deliveries: dict[str, list[Delivery]] = defaultdict(list)
        self.faults: Counter[str] = Counter()
        self.control_sent = 0
        self.last_control_us = 0
        self.suppressors: dict[str, Suppressor] = defaultdict(Suppressor)
        self.access: dict[Attachment, Access] = {}
        self.durable: dict[Attachment, Durable] = defaultdict(Durable)
        self.apart: set[frozenset[str]] = set()
        self.lost: dict[Identity, set[str]] = defaultdict(set)
        self.surfaced_us: dict[tuple[str, Identity], int] = {}
        self.lossy_until_us = 0
        self.air_loss = 0.0
        self.weak_confirms = False
        self.deduplicates = self.rng.random() < 0.7
        self._broker_lives: Counter[str] = Counter()
        self._pending: Counter[Attachment] = Counter()
        self._trails: dict[tuple[str, Identity], Chain] = {}

    @abstractmethod
    def works(self, gateway: str, service: str) -> bool:
        """Whether a gateway runs and reaches an event service."""

    @abstractmethod
    def tell(self, access: Access, message: Heard | HeardControl, passed: Passed | None) -> bool:
        """An adapter tells its gateway what it heard; False where the link is full."""

    @abstractmethod
    def wanted_by(self, access: Access, native: Native) -> set[str]:
        """The event services that a gateway would send a native event to."""

    def lose(self, identity: Identity, services: set[str], how: str) -> None:
        """Count that an event does not reach some event services, since a queue was full."""
        self.faults[how] += 1
        self.lost[identity] |= services

    def restart_broker(self, service: str) -> None:
        """End a broker and start it again: what it was about to give is lost, but what it keeps."""
        self.faults["broker started again"] += 1
        self._broker_lives[service] += 1

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
            place = (heard_at, native.stamp.identity)
            self.surfaced_us.setdefault(place, self.now_us - self.start_us)
            self._deliver(heard_at, native)
            for gateway in self.topology.at(heard_at):
                echo = gateway == by and heard_at == service
                if echo and heard_at in self.topology.repeating:
                    continue  # a service that cannot stamp does not hear its own publications
                self._pass_native(service, heard_at, gateway, native)

    def control(self, service: str, body: bytes, stamp: Stamp | None, by: str) -> None:
        """A control event is published natively: the other gateways hear it."""
        event = decoded(body)
        hello = is_signal(event) and event.parameter("Type") == 16
        self.control_sent += 1
        if not hello:
            self.last_control_us = self.now_us
        if by and service in self.traits.closed:
            self.broken.append(f"told at a closed service: {event} by {by} at {service}")
        passed: tuple[Identity, Chain] | None = None
        if event.parameter("Type") == RequestType.PUBLICATION:
            identity = from_event(event, stamp).stamp.identity
            passed = identity, (*self._trails.get((by, identity), ()), by)
        for heard_at in self.hears(service):
            for gateway in self.topology.at(heard_at):
                if gateway != by and not self._misses(service, heard_at):
                    way = (service, heard_at, gateway)
                    message = HeardControl(stamp, body, passed is not None)
                    self._pass_control(way, message, passed)

    def _pass_control(
        self,
        way: tuple[str, str, str],
        message: HeardControl,
        passed: tuple[Identity, Chain] | None,
    ) -> None:
        _, heard_at, gateway = way
        life = self._broker_lives[heard_at]

        def arrive() -> None:
            access = self.access.get((gateway, heard_at))
            if self._forgot(heard_at, life) or access is None or not self.works(gateway, heard_at):
                return
            self.tell(access, message, passed)

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

    def _misses(self, service: str, heard_at: str) -> bool:
        """Whether what is said at an access point is not heard at another, though in range."""
        if service == heard_at or not self.air_loss or self.rng.random() >= self.air_loss:
            return False
        self.faults["lost on the air"] += 1
        return True

    def _forgot(self, service: str, life: int) -> bool:
        """Whether a broker was started again since it took something that it does not keep."""
        if self._broker_lives[service] == life:
            return False
        self.faults["lost by a broker"] += 1
        return True

    def _deliver(self, service: str, native: Native) -> None:
        if self.suppressors[service].repeated(native.stamp):
            if service in self.topology.repeating:
                self.broken.append(f"doubled: {native.stamp.identity} at {service}")
            return
        self.deliveries[service].append(
            Delivery(
                native.stamp.identity,
                native.stamp.home,
                Reading.of(native.event),
                attributes.is_persistent(native.event),
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
        if self._misses(service, heard_at):
            return
        place, life = (gateway, heard_at), self._broker_lives[heard_at]
        if self._is_full(place):
            access = self.access.get(place)
            if access is not None:
                services = self.wanted_by(access, native)
                self.lose(native.stamp.identity, services, "dropped by a full broker")
            return
        self._pending[place] += 1

        def arrive() -> None:
            self._pending[place] -= 1
            access = self.access.get(place)
            if not self._forgot(heard_at, life) and access is not None and self.works(*place):
                self._hear(access, native, 0)

        self.over(("native", service, heard_at, gateway), arrive)

    def _is_full(self, place: Attachment) -> bool:
        """Whether a broker keeps no more events for an adapter that is too slow."""
        most = self.traits.broker_queue
        return bool(most) and self._pending[place] >= most

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
            return  # it was answered, or was given again meanwhile, and is answered again
        access.token += 1
        kept = self.durable[access.gateway, access.service].kept
        if self.weak_confirms and taken and self.rng.random() < 0.1:
            self.faults["answer lost"] += 1
            taken = False
        if kept and taken:
            kept.popleft()
        if kept:
            answered = access.token
            self.at(0 if taken else ACK_WAIT_US, lambda: self._drain_once(access, answered))

    def _drain_once(self, access: Access, token: int) -> None:
        if token == access.token:
            self._drain(access)

    def _hear(self, access: Access, native: Native, token: int) -> bool:
        """Have an adapter hear an event; tell whether its gateway will answer for it."""
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
            attributes.expires_us(native.event, native.stamp.time_us),
            attributes.priority(native.event),
            attributes.is_persistent(native.event),
            binary.encode(native.event),
            attributes.starts_us(native.event),
            token,
        )
        passed = native.stamp.identity, (*native.chain, f"@{access.service}")
        if self.tell(access, heard, passed):
            return True
        if token:
            self._taken(access, token, taken=False)
        else:
            services = self.wanted_by(access, native)
            self.lose(native.stamp.identity, services, "dropped by a full link")
        return True
