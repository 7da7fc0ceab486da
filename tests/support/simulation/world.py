"""A whole federation in one thread: real gateway cores, event services and networks made up.

Everything is decided by a seed: topology, requests, events, delays, faults. Nothing here is shared
with the code that is judged, but the core itself, the filter language, the lanes of a link, and how
an adapter keeps the order of what it confirms.
"""

from collections import Counter, defaultdict
from datetime import UTC, datetime

import msgspec
from fes.control import ControlEvent, RequestType, to_event
from fes.federation.scopes.model import ScopePart
from fes.federation.topology import Topology as Routed
from fes.gateway import AdapterSettings, GatewayCore, GatewaySettings
from fes.gateway.inputs import Inject, Input, LinkDown, Tick
from fes.gateway.outputs import Decided, Mutation, Output, PutRow
from fes.gateway.settings import Instant
from fes.link.messages import HeardControl
from fes.model import Identity, Stamp, attributes, binary
from fes.scopes import Client, Edge, Graph, Scope
from support.drawing.topologies import Attachment, Topology
from support.drawing.traits import Traits
from support.drawing.wishes import Reading, Wish
from support.simulation.access import Native
from support.simulation.journals import Journals
from support.simulation.links import Links
from support.simulation.services import Passed
from support.simulation.timeline import MS, SECOND
from support.simulation.watch import SYSTEM, Watch

ALL = "all"
"""The scope that every event service is in, where there are scopes."""

ALL_PLENTY = Traits()
EVERYTHING, NOTHING = frozenset(RequestType), frozenset[RequestType]()


class World(Links):
    """Runs one federation.

    Args:
        topology: Who is attached where.
        seed: Decides every delay and every fault.
        journals: Keep what must survive; in memory where None.
        traits: The bounds of links, brokers and custody.

    Attributes:
        observes: Whether adapters observe some requests, which nobody says.
        scoped: Whether there are scopes: one, that all event services are in.
        members: The named client by which an event service is in it; itself where there is none.
        ended_us: When each gateway ended, since the start.
    """

    def __init__(
        self,
        topology: Topology,
        seed: int,
        journals: Journals | None = None,
        traits: Traits = ALL_PLENTY,
    ) -> None:
        super().__init__(topology, seed, traits)
        self.journals = journals or Journals()
        self.watch = Watch()
        self.broken = self.watch.broken
        self.cut: set[Attachment] = set()
        self.skew_us: Counter[str] = Counter()
        self.crashes: dict[str, str] = {}
        self.observes = False
        self.scoped = False
        self.members: dict[str, str] = {}
        self.ended_us: dict[str, list[int]] = defaultdict(list)
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
                    service,  # one for all who observe there: a client is the same for each
                    service,
                    accept=NOTHING if service in self.traits.closed else EVERYTHING,
                    relay=service not in self.traits.closed,
                    on_medium=service in mediums,
                    repeats=topology.at(service)[0] == gateway,
                )
                for service in topology.of(gateway)
            },
            services=topology.services,
            topology=Routed(topology.attachments, mediums),
            announcement_us=3 * SECOND,
            horizon_us=12 * SECOND,
            retransmission_us=17 * SECOND,  # longer than the longest pause between attempts
            retry_us=SECOND,
            in_flight=4,
            custody=self.traits.custody,
            scopes=self._scopes(),
            scope_parts={ALL: ScopePart()} if self.scoped else {},
            gateways={each: topology.of(each) for each in topology.gateways},
        )

    def _scopes(self) -> Graph:
        graph = Graph()
        if self.scoped:
            graph.add(Scope(ALL))
            for name in self.topology.services:
                graph.add(Client(name, name))
                member = self.members.get(name, name)
                if member != name:
                    graph.add(Client(member, name, "user"))
                graph.join(Edge(member, ALL))
        return graph

    def start(self, gateway: str) -> None:
        """Start a gateway from its journal; its adapters start anew too."""
        self._lives[gateway] += 1
        state = dict(self.journals.state(gateway))
        core = GatewayCore(self.settings(gateway), state, self._clock(gateway).wall_us)
        self.cores[gateway] = core
        for service in self.topology.of(gateway):
            if (gateway, service) not in self.cut:
                self.link_up(gateway, service)

    def kill(self, gateway: str) -> None:
        """End a gateway and its adapters; only the journal is left."""
        if self.cores.pop(gateway, None) is not None:
            self.ended_us[gateway].append(self.now_us - self.start_us)
        self.crashes.pop(gateway, None)

    def wipe(self, gateway: str) -> None:
        """Lose a gateway's journal, as where its container is replaced."""
        self.journals.state(gateway).clear()
        self.watch.wiped(gateway)

    def cut_link(self, gateway: str, service: str) -> None:
        """Part a gateway and an event service."""
        self.cut.add((gateway, service))
        if gateway in self.cores:
            self.handle(gateway, LinkDown(), service)

    def mend_link(self, gateway: str, service: str) -> None:
        """Join a gateway and an event service."""
        self.cut.discard((gateway, service))
        if gateway in self.cores:
            self.link_up(gateway, service)

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
        self,
        service: str,
        origin: str,
        said: Reading,
        *,
        persistent: bool = False,
        timeout_us: int = 0,
        starts_us: int = 0,
    ) -> Identity:
        """A native client publishes an event.

        It is worthless after `timeout_us`, and must not be delivered before `starts_us`, if not 0.
        """
        stamp = self.stamp(origin, service)
        told: dict[str, object] = {attributes.RELIABILITY: 1} if persistent else {}
        if timeout_us:
            told[attributes.TIMEOUT] = timeout_us / 1e6
        if starts_us:
            moment = datetime.fromtimestamp((self.start_us + starts_us) / 1e6, UTC)
            told[attributes.START_TIME] = moment.isoformat()
        if persistent:
            self.watch.persistent.add(str(stamp.identity))
        self.surface(service, Native(said.event(told), stamp, ()), by="")
        return stamp.identity

    def stamp(self, origin: str, service: str) -> Stamp:
        """The stamp of the next event, or request, of an origin."""
        self._sequences[origin] += 1
        return Stamp(origin, 1, self._sequences[origin], self.now_us, service)

    def inject(self, gateway: str, request: ControlEvent) -> None:
        """A client makes a request at a gateway."""
        if gateway in self.cores:
            self.handle(gateway, Inject(request))

    def say(self, service: str, request: ControlEvent) -> None:
        """A FES-aware client makes a request on its own event service."""
        self.control(service, binary.encode(to_event(request)), request.stamp, "")

    def observe(self, gateway: str, request: ControlEvent) -> None:
        """A gateway's adapter observes at a client what it asks for, and tells."""
        self.faults["request observed"] += 1
        # The gateway names the adapter behind the requester, as `control_event` has it here.
        plain = request.requester.removesuffix(f"/{request.source}")
        body = binary.encode(to_event(msgspec.structs.replace(request, requester=plain)))
        self.handle(gateway, HeardControl(request.stamp, body, observed=True), request.source)

    def request(
        self,
        kind: RequestType,
        source: str,
        dist_list: str,
        wish: Wish,
        requester: str = "client",
        expires_us: int = 0,
    ) -> ControlEvent:
        """A request for what a client wishes; its lease ends at `expires_us`, if not 0."""
        control = self.control_event(kind, source, dist_list, requester)
        return msgspec.structs.replace(control, filter=wish.text, expires_us=expires_us)

    def control_event(
        self, kind: RequestType, source: str, dist_list: str, requester: str = ""
    ) -> ControlEvent:
        """What every control event of a client says."""
        return ControlEvent(
            stamp=self.stamp("requests", source),
            system=SYSTEM,
            type=kind,
            source=source,
            dist_list=dist_list,
            # What is observed of a client once may be said by it the next time.
            requester=f"{requester}/{source}" if self.observes else requester,
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
            self.watch.committed(gateway, mutations)
            self.watch.performs(core, self._lives[gateway], message, outputs, self.now_us)
        if crash == "amid the outputs":
            outputs = outputs[: len(outputs) // 2]
        if crash not in ("before the commit", "after the commit"):
            self.send(core, gateway, outputs)
        if crash:
            self.faults[f"crash {crash}"] += 1
            self.kill(gateway)

    def _clock(self, gateway: str) -> Instant:
        now_us = self.now_us + self.skew_us[gateway]
        return Instant(now_us, self.now_us, self.now_us)


def _took(mutations: list[Mutation], outputs: list[Output], identity: str) -> bool:
    """Tell whether a gateway did anything with an event but suppress or drop it."""
    row = f"row\x1f{identity}\x1f"
    return any(isinstance(each, PutRow) and each.key.startswith(row) for each in mutations) or any(
        isinstance(each, Decided)
        and each.id == identity
        and each.decision in ("applied", "forwarded")
        for each in outputs
    )


__all__ = ["MS", "SECOND", "SYSTEM", "World"]
