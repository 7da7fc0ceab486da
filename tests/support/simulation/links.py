"""Between gateways and event services of a world: links, and adapters that do what is ordered."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable

from fes.control import from_event
from fes.gateway import GatewayCore
from fes.gateway.inputs import Input, LinkUp
from fes.gateway.outputs import Decided, Output, ToAdapter
from fes.link.end import Message
from fes.link.messages import Confirmed, Heard, HeardControl, Order, Publish, PublishControl, Taken
from fes.model import Identity, attributes
from support.drawing.topologies import Topology
from support.drawing.traits import Traits
from support.drawing.wishes import pattern_matches
from support.simulation.access import Access, Native, decoded
from support.simulation.narrow import Narrow
from support.simulation.services import Chain, EventServices, Passed

FULL_LINK = "dropped by a full link"


class Links(EventServices, ABC):
    """Carries what gateways and adapters say to one another.

    Args:
        topology: Who is attached where.
        seed: Decides every delay and every fault.
        traits: The bounds of links, brokers and custody.
    """

    def __init__(self, topology: Topology, seed: int, traits: Traits) -> None:
        super().__init__(topology, seed, traits)
        self.published: Counter[tuple[str, str, Identity, int]] = Counter()
        self.decisions: Counter[tuple[str, str]] = Counter()
        self.cores: dict[str, GatewayCore] = {}
        self.calm = True
        self._lives: Counter[str] = Counter()

    @abstractmethod
    def handle(
        self, gateway: str, message: Input, service: str = "", passed: Passed | None = None
    ) -> None:
        """A gateway takes an input."""

    def tell(self, access: Access, message: Heard | HeardControl, passed: Passed | None) -> bool:
        """An adapter tells its gateway what it heard; False where the link is full."""

        def arrive() -> None:
            place = (access.gateway, access.service)
            if self.access.get(place) is access and self.works(*place):
                self.handle(access.gateway, message, access.service, passed)

        if access.up is None:
            arrive()
            return True
        if access.up.put(message, arrive):
            return True
        if isinstance(message, HeardControl):
            self._lose(access, message)
        return False

    def wanted_by(self, access: Access, native: Native) -> set[str]:
        """The event services that a gateway would send a native event to."""
        return self._sources(access, access.matched(native.event))

    def send(self, core: GatewayCore, gateway: str, outputs: list[Output]) -> None:
        """Perform what a gateway ordered."""
        for output in outputs:
            if isinstance(output, Decided):
                self.decisions[output.decision, output.reason] += 1
            elif isinstance(output, ToAdapter):
                access = self.access.get((gateway, output.service))
                if access is not None:
                    self._order(core, access, output.order)

    def link_up(self, gateway: str, service: str) -> None:
        """A new adapter, which knows nothing yet, has a link."""
        self._count += 1
        access = Access(service, gateway, self._count)
        if self.traits.link_queue:
            queue = self.traits.link_queue
            access.up, access.down = (
                Narrow(self, queue, lambda message: self._lose(access, message)) for _ in range(2)
            )
        self.access[gateway, service] = access
        persistent = service in self.topology.persistent
        suppresses = service not in self.topology.repeating
        self.handle(gateway, LinkUp(persistent, suppresses), service)

    def _order(self, core: GatewayCore, access: Access, order: Order) -> None:
        perform = self._performing(core, access, order)
        if access.down is None:
            self.over(("link", access.gateway, access.service, access.life), perform)
        elif not access.down.put(order, perform):
            self._lose(access, order)

    def _performing(self, core: GatewayCore, access: Access, order: Order) -> Callable[[], None]:
        chain: Chain = ()
        if isinstance(order, Publish):
            trail = self._trails.get((access.gateway, order.stamp.identity), ())
            chain = (*trail, access.gateway)

        def perform() -> None:
            place = (access.gateway, access.service)
            if self.cores.get(access.gateway) is not core or self.access.get(place) is not access:
                return
            if self.works(*place):
                self._perform(access, order, chain)
            else:
                self.faults["lost with a link"] += 1

        return perform

    def _perform(self, access: Access, order: Order, chain: Chain) -> None:
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
                self._answer(access, message)

    def _publish(self, access: Access, order: Publish, chain: Chain) -> None:
        if not access.confirmations.is_turn(order):
            return
        if order.row and self.weak_confirms and self.rng.random() < 0.1:
            self.faults["publication failed"] += 1
            access.confirmations.failed(order, "is away", retryable=True)
            return
        if order.expires_us and order.expires_us <= self.now_us:
            access.confirmations.failed(order, "expired", retryable=False)
            return
        event = decoded(order.body)
        identity = order.stamp.identity
        if event.subject not in access.announced.values():
            self.broken.append(f"published unannounced: {identity} at {access.service}")
        persistent = attributes.is_persistent(event)
        self._count += 1
        life = self._count if persistent and not self.calm else self._lives[access.gateway]
        self.published[access.gateway, access.service, identity, life] += 1
        native = Native(event, order.stamp, order.via, chain)
        self.surface(access.service, native, by=access.gateway)
        access.confirmations.published(order)

    def _answer(self, access: Access, message: Confirmed) -> None:
        def arrive() -> None:
            place = (access.gateway, access.service)
            if self.access.get(place) is access and self.works(*place):
                self.handle(access.gateway, message, access.service)

        self.over(("back", access.gateway, access.service, access.life), arrive)

    def _lose(self, access: Access, message: Message) -> None:
        """Count what a full link dropped; what is in custody, or kept, comes again."""
        match message:
            case Publish(stamp=stamp, row=0):
                self.lose(stamp.identity, {access.service}, FULL_LINK)
            case PublishControl(body, publication=True) | HeardControl(_, body, publication=True):
                given = from_event(decoded(body), None)
                if not given.row:
                    names = {
                        name
                        for name in self.topology.services
                        for pattern in given.dist_list.split(",")
                        if pattern_matches(pattern, name)
                    }
                    self.lose(given.stamp.identity, names, FULL_LINK)
            case Heard(token=0):
                services = self._sources(access, message.matched)
                self.lose(message.stamp.identity, services, FULL_LINK)
            case Heard():
                self._taken(access, message.token, taken=False)
            case Publish():
                self.faults["row dropped by a full link"] += 1
            case _:
                self.broken.append(f"control traffic dropped: {message}")

    def _sources(self, access: Access, matched: tuple[int, ...]) -> set[str]:
        core = self.cores.get(access.gateway)
        if core is None:
            return set()
        applied = {each.number: each.sources for each in core.applied(access.service)}
        return {source for number in matched for source in applied.get(number, ())}
