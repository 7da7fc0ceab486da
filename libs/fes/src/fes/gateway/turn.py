"""One turn of the core: the moment, and the mutations and outputs of an input."""

from dataclasses import dataclass, field

from fes.gateway.outputs import Decided, Mutation, Output, ToAdapter
from fes.gateway.settings import Instant
from fes.link.messages import Order


@dataclass(slots=True)
class Turn:
    """Collects the mutations and outputs of one input.

    Attributes:
        now: The moment.
        own_us: The same moment on the gateway's own clock, by which durations are measured.
        mutations: To commit, in order.
        outputs: To perform after the commit, in order.
    """

    now: Instant
    own_us: int
    mutations: list[Mutation] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)

    def order(self, service: str, order: Order) -> None:
        """Add an order for the adapter at an event service."""
        self.outputs.append(ToAdapter(service, order))

    def decide(self, decided: Decided) -> None:
        """Add a decision for the event log."""
        self.outputs.append(decided)
