"""A whole federation in one thread: real gateway cores, event services and networks made up.

Everything is decided by a seed: topology, requests, events, delays, faults. Nothing here is shared
with the code that is judged, but the core itself, the filter language, and how an adapter keeps
the order of what it confirms.
"""

from collections import Counter
from collections.abc import Callable

from fes.control import ControlEvent, RequestType, to_event
from fes.federation.topology import Topology as Routed
from fes.gateway import AdapterSettings, GatewayCore, GatewaySettings
from fes.gateway.inputs import Inject, Input, LinkDown, LinkUp, Tick
from fes.gateway.outputs import Decided, Mutation, PutRow, ToAdapter
from fes.gateway.settings import Instant
from fes.link.messages import Publish, PublishControl, Taken
from fes.model import Event, Identity, Stamp, attributes, binary
from support.access import Access, Native
from support.journals import Journals
from support.services import Chain, EventServices, Passed
from support.timeline import MS, SECOND
from support.topologies import Attachment, Topology

SYSTEM = "world"


class World(EventServices):
    """Runs one federation.

    Args:
        topology: Who is attached where.
        seed: Decides every delay and every fault.
        journals: Keep what must survive; in memory where None.
    """

    def __init__(self, topology: Topology, seed: int, journals: Journals | None = None) -> None:
        super().__init__(topology, seed)
        self.journals = journals or Journals()
        self.published: Counter[tuple[str, str, Identity, int]] = Counter()
        self.decisions: Counter[tuple[str, str]] = Counter()
        self.cores: dict[str, GatewayCore] = {}
        self.cut: set[Attachment] = set()
        self.skew_us: Counter[str] = Counter()
        self.crashes: dict[str, str] = {}
        self.weak_confirms = False
        self.calm = True
        self._lives: Counter[str] = Counter()
        self._sequences: Counter[str] = Counter()

    # The gateways

    def settings(self, gateway: str) -> GatewaySettings:
        """The settings of a gateway in this topology."""
        topology = self.topology
        mediums = dict.fromkeys(topology.air, "air")
        return GatewaySettings(
            id=gateway,
            system=SYSTEM,
            adapters={
                service: AdapterSettings(
                    f"{gateway}.{service}",
                    service,
                    on_medium=service in mediums,
                    repeats=topology.at(service)[0] == gateway,
                )
                for service in topology.of(gateway)
            },
            services=topology.services,
            topology=Routed(topology.attachments, mediums),
            announcement_us=3 * SECOND,
            horizon_us=12 * SECOND,
            retransmission_us=12 * SECOND,
            retry_us=SECOND,
            in_flight=4,
        )

    def start(self, gateway: str) -> None:
        """Start a gateway from its journal; its adapters start anew too."""
        self._lives[gateway] += 1
        state = dict(self.journals.state(gateway))
        core = GatewayCore(self.settings(gateway), state, self._clock(gateway).wall_us)
        self.cores[gateway] = core
        for service in self.topology.of(gateway):
            if (gateway, service) not in self.cut:
                self._link_up(gateway, service)

    def kill(self, gateway: str) -> None:
        """End a gateway and its adapters; only the journal is left."""
        self.cores.pop(gateway, None)
        self.crashes.pop(gateway, None)

    def cut_link(self, gateway: str, service: str) -> None:
        """Part a gateway and an event service."""
        self.cut.add((gateway, service))
        if gateway in self.cores:
            self.handle(gateway, LinkDown(), service)

    def mend_link(self, gateway: str, service: str) -> None:
        """Join a gateway and an event service."""
        self.cut.discard((gateway, service))
        if gateway in self.cores:
            self._link_up(gateway, service)

    def works(self, gateway: str, service: str) -> bool:
        """Whether a gateway runs and reaches an event service."""
        return gateway in self.cores and (gateway, service) not in self.cut

    def tick(self) -> None:
        """Tell every gateway that time passed."""
        for gateway in list(self.cores):
            self.handle(gateway, Tick())

    def pass_time(self, until_us: int, every_us: int = SECOND) -> None:
        """Let the time go on, with ticks."""
        while self.now_us < until_us and len(self.broken) < 5:
            self.run(min(until_us, self.now_us + every_us))
            self.tick()

    # What clients do

    def emit(
        self, service: str, origin: str, number: int, *, persistent: bool = False, priority: int = 0
    ) -> Identity:
        """A native client publishes an event with a number."""
        self._sequences[origin] += 1
        stamp = Stamp(origin, 1, self._sequences[origin], self.now_us, service)
        event = Event.of("Reading", number=number)
        told = {attributes.RELIABILITY: 1} if persistent else {}
        if priority:
            told[attributes.PRIORITY] = priority
        event = event.with_attributes(told) if told else event
        self.surface(service, Native(event, stamp, ()), by="")
        return stamp.identity

    def inject(self, gateway: str, request: ControlEvent) -> None:
        """A client makes a request at a gateway."""
        if gateway in self.cores:
            self.handle(gateway, Inject(request))

    def say(self, service: str, request: ControlEvent) -> None:
        """A FES-aware client makes a request on its own event service."""
        self.control(service, binary.encode(to_event(request)), request.stamp, "")

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

    # What gateways do

    def handle(
        self,
        gateway: str,
        message: Input,
        service: str = "",
        passed: Passed | None = None,
    ) -> None:
        """A gateway takes an input: commits, then performs; it may crash between."""
        core = self.cores.get(gateway)
        if core is None:
            return
        held = passed is not None and any(
            row.event.id == str(passed[0]) for row in core.delivery.custody
        )
        mutations, outputs = core.handle(message, self._clock(gateway), service)
        if passed is not None and not held and _took(mutations, outputs, str(passed[0])):
            self._trails[gateway, passed[0]] = passed[1]
        crash = self.crashes.pop(gateway, "") if mutations else ""
        if crash != "before the commit":
            self.journals.append(gateway, mutations)
        if crash == "amid the outputs":
            outputs = outputs[: len(outputs) // 2]
        if crash not in ("before the commit", "after the commit"):
            self._send(core, gateway, outputs)
        if crash:
            self.faults[f"crash {crash}"] += 1
            self.kill(gateway)

    def _send(self, core: GatewayCore, gateway: str, outputs: list[object]) -> None:
        for output in outputs:
            if isinstance(output, Decided):
                self.decisions[output.decision, output.reason] += 1
            elif isinstance(output, ToAdapter):
                access = self.access.get((gateway, output.service))
                if access is not None:
                    self.over(
                        ("link", gateway, output.service, access.life),
                        self._order(core, access, output),
                    )

    def _order(self, core: GatewayCore, access: Access, output: ToAdapter) -> Callable[[], None]:
        order, chain = output.order, ()
        if isinstance(order, Publish):
            trail = self._trails.get((access.gateway, order.stamp.identity), ())
            chain = (*trail, access.gateway)

        def perform() -> None:
            place = (access.gateway, access.service)
            if self.cores.get(access.gateway) is core and self.access.get(place) is access:
                self._perform(access, order, chain)

        return perform

    def _perform(self, access: Access, order: object, chain: Chain) -> None:
        match order:
            case Publish():
                self._publish(access, order, chain)
            case PublishControl(body):
                self.control(access.service, body, None, access.gateway)
            case Taken(token, taken):
                self._taken(access, token, taken=taken)
            case _:
                access.perform(order)
                if access.service in self.topology.persistent:
                    self.durable[access.gateway, access.service].filters = dict(access.filters)
                    self._drain(access)
        said, access.said = access.said, []
        for message in said:
            if self.weak_confirms and self.rng.random() < 0.2:
                self.faults["confirmation lost"] += 1
            else:
                self._to_gateway(access, message)

    def _publish(self, access: Access, order: Publish, chain: Chain) -> None:
        if not access.confirming.is_turn(order):
            return
        if order.row and self.weak_confirms and self.rng.random() < 0.1:
            self.faults["publication failed"] += 1
            access.confirming.failed(order, "is away", retryable=True)
            return
        event = binary.decode(order.body)
        identity = order.stamp.identity
        if event.subject not in access.announced.values():
            self.broken.append(f"published unannounced: {identity} at {access.service}")
        persistent = attributes.is_persistent(event)
        self._count += 1
        life = self._count if persistent and not self.calm else self._lives[access.gateway]
        self.published[access.gateway, access.service, identity, life] += 1
        native = Native(event, order.stamp, order.via, chain)
        self.surface(access.service, native, by=access.gateway)
        access.confirming.published(order)

    def _to_gateway(self, access: Access, message: object) -> None:
        def arrive() -> None:
            place = (access.gateway, access.service)
            if self.access.get(place) is access and self.works(*place):
                self.handle(access.gateway, message, access.service)

        self.over(("back", access.gateway, access.service, access.life), arrive)

    def _link_up(self, gateway: str, service: str) -> None:
        self._count += 1
        self.access[gateway, service] = Access(service, gateway, self._count)
        persistent = service in self.topology.persistent
        suppresses = service not in self.topology.repeating
        self.handle(gateway, LinkUp(persistent, suppresses), service)

    def _clock(self, gateway: str) -> Instant:
        now_us = self.now_us + self.skew_us[gateway]
        return Instant(now_us, self.now_us)


def _took(mutations: list[Mutation], outputs: list[object], identity: str) -> bool:
    """Tell whether a gateway did anything with an event but suppress or drop it."""
    row = f"row\x1f{identity}\x1f"
    return any(isinstance(each, PutRow) and each.key.startswith(row) for each in mutations) or any(
        isinstance(each, Decided)
        and each.id == identity
        and each.decision in ("applied", "forwarded")
        for each in outputs
    )


__all__ = ["MS", "SECOND", "SYSTEM", "World"]
