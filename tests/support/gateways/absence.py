"""Few gateways that come, go, and lose sight of one another: what they know is what counts."""

from fes.control import ControlEvent, RequestType
from support.drawing.wishes import at_least
from support.simulation.scripted import topology
from support.simulation.world import SECOND, World

HORIZON_S = 12
"""The horizon in a world."""

SUB, UNSUB = RequestType.SUBSCRIPTION, RequestType.UNSUBSCRIPTION


class Absence(World):
    """A world in which requests are made at gateways, and time may pass unseen.

    Args:
        attachments: As `support.simulation.scripted.topology` takes them.
        start: Which gateways are started; all where None.
    """

    def __init__(self, attachments: str, start: tuple[str, ...] | None = None) -> None:
        super().__init__(topology(attachments), 1)
        for gateway in self.topology.gateways if start is None else start:
            self.start(gateway)
        self.step(3)

    def step(self, seconds: float) -> None:
        """Let time pass, with ticks."""
        self.pass_time(self.now_us + round(seconds * SECOND))
        assert self.broken == []

    def sleep(self, seconds: float) -> None:
        """Let time pass while no gateway runs that would notice."""
        self.now_us += round(seconds * SECOND)

    def ask(
        self,
        gateway: str,
        kind: RequestType = SUB,
        requester: str = "client",
        lease_s: float = 0.0,
    ) -> ControlEvent:
        """Have a client of the first event service ask for what the last one tells."""
        services = self.topology.services
        ends_us = self.now_us + round(lease_s * SECOND) if lease_s else 0
        request = self.request(kind, services[0], services[-1], at_least(0), requester, ends_us)
        self.inject(gateway, request)
        return request

    def part(self, gateway: str, *, joined: bool = False) -> None:
        """Part a gateway from all event services, or join it to them again."""
        for service in self.topology.of(gateway):
            (self.mend_link if joined else self.cut_link)(gateway, service)

    def knows(self, gateway: str) -> list[str]:
        """Return whose subscriptions hold at a gateway."""
        rows = self.cores[gateway].table.rows()
        return sorted(row.requester for row in rows if not row.withdrawn)

    @property
    def known(self) -> dict[str, list[str]]:
        """Whose subscriptions hold, by gateway that runs."""
        return {gateway: self.knows(gateway) for gateway in self.cores}

    @property
    def agreed(self) -> list[str] | dict[str, list[str]]:
        """Return whose subscriptions hold at all that run, or at each where they differ."""
        known = self.known
        first = next(iter(known.values()))
        return first if all(each == first for each in known.values()) else known

    def remembered(self, gateway: str) -> int:
        """Return how many withdrawals a gateway remembers."""
        return sum(row.withdrawn for row in self.cores[gateway].table.rows())
