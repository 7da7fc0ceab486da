"""One turn of the core: the moment, and what comes of it."""

from dataclasses import dataclass, field

from fes.gateway.outputs import Decided, Mutation, Output, ToAdapter
from fes.gateway.settings import Instant
from fes.link.messages import Order


@dataclass(slots=True)
class Turn:
    """Collects the mutations and outputs of one input.

    Attributes:
        now: The moment.
        own_us: The same on the gateway's own clock: durations are measured by it.
        mutations: To commit, in order.
        outputs: To perform then, in order.
    """

    now: Instant
    own_us: int
    mutations: list[Mutation] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)

    def order(self, service: str, order: Order) -> None:
        """Give an order to the adapter at an event service."""
        self.outputs.append(ToAdapter(service, order))

    def decide(self, decided: Decided) -> None:
        """Note a decision."""
        self.outputs.append(decided)
