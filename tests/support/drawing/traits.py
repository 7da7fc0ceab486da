"""What a federation has little of: room in custody, on links, at brokers."""

import random
from dataclasses import dataclass, replace

from support.drawing.topologies import Topology

PLENTY = 10_000


@dataclass(frozen=True)
class Traits:
    """The bounds of one federation.

    Attributes:
        custody: Most rows in a gateway's custody.
        link_queue: Most events that wait on a link whose ends take their time; 0 where links are
            as fast as can be.
        broker_queue: Most best-effort events that a broker keeps for one adapter; 0 where none is
            ever dropped for others.
        closed: The event service where control events are neither accepted nor passed on.
    """

    custody: int = PLENTY
    link_queue: int = 0
    broker_queue: int = 0
    closed: frozenset[str] = frozenset()

    @property
    def are_scarce(self) -> bool:
        """Whether a persistent event may have to come again, since there was no room for it."""
        return bool(self.link_queue) or self.custody < PLENTY


def random_traits(rng: random.Random, topology: Topology) -> Traits:
    """Return the bounds of a federation: most have plenty of all."""
    traits = Traits(
        custody=rng.randint(3, 10) if rng.random() < 0.2 else PLENTY,
        link_queue=rng.randint(2, 5) if rng.random() < 0.2 else 0,
        broker_queue=rng.randint(2, 4) if rng.random() < 0.1 else 0,
    )
    leaves = [
        name
        for name in topology.services
        if name not in topology.air and len(topology.at(name)) == 1
    ]
    if leaves and rng.random() < 0.1:
        return replace(traits, closed=frozenset((rng.choice(leaves),)))
    return traits
