"""What a town consists of."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from fes.adapter import AdapterRuntime
from fes.eventlog import Record
from fes_gateway.host import GatewayHost
from support.replicas.journal import SharedJournal
from support.replicas.links import Link
from support.replicas.processes import Process

SYSTEM = "town"
GATEWAY = "g"
FAR = "far"
"""An event service that another gateway is attached to."""

LOST = frozenset(("dropped", "suppressed", "refused"))
"""Decisions that tell what became of an event that did not arrive."""


@dataclass
class Member:
    """A replica that runs.

    Attributes:
        takes_links: Whether it has started and takes links.
        started_us: Since when it runs.
    """

    process: Process
    journal: SharedJournal
    host: GatewayHost
    started_us: int
    takes_links: bool = False

    @property
    def reigns(self) -> bool:
        """Whether it acts as the leader."""
        return self.host.replica is not None and self.host.replica.term != 0


@dataclass
class Connected:
    """An adapter that runs, and its links by replica."""

    process: Process
    runtime: AdapterRuntime
    links: dict[str, Link] = field(default_factory=dict)


class Losses:
    """The event log: keeps what was decided about events that may not arrive."""

    def __init__(self) -> None:
        self.told: dict[str, list[str]] = defaultdict(list)
        self.counts: Counter[tuple[str, str]] = Counter()

    def wants(self, identity: str) -> bool:
        """Want what is about an event."""
        return bool(identity)

    def write(self, record: Record) -> None:
        """Keep what tells of a loss."""
        if record.decision in LOST:
            where = record.replica or record.name
            self.told[record.id].append(f"{record.decision} {record.reason} ({where})")
            self.counts[record.decision, record.reason] += 1
