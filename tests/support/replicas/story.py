"""What happened in a town: requests and events, as its judge must know them."""

from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from fes.control import RequestType
from fes.model import Identity
from support.replicas.journal import Standing
from support.simulation.timeline import SECOND


@dataclass
class Asked:
    """A request.

    Attributes:
        at: Pattern of the event services where it holds.
        calm: Whether nothing was wrong when it was made.
        text: Its filter in canonical form.
    """

    kind: RequestType
    source: str
    requester: str
    at: str
    least: int
    at_us: int
    expires_us: int
    calm: bool
    text: str

    @property
    def key(self) -> tuple[str, str, int, str]:
        """What makes two requests the same."""
        return self.source, self.requester, self.least, self.at

    @property
    def standing(self) -> Standing:
        """The request as the journal has it."""
        return self.source, self.requester, self.text, self.at

    def holds_at(self, service: str) -> bool:
        """Tell whether it is about what is published at an event service."""
        return service != self.source and fnmatchcase(service, self.at)


@dataclass
class Emitted:
    """An event.

    Attributes:
        service: Where it was published; where it was said, if it came in a control event.
        kept: Whether whoever gave it gives it again until it is answered for.
        to: Where a control event sends it; "" where it was heard natively.
        calm: Whether nothing was wrong then.
        held: Whether it was subscribed to natively then.
        stood: Requests that stood in the journal then, and whose very filter was subscribed to
            natively: whatever goes wrong afterwards, they are known.
    """

    identity: Identity
    service: str
    number: int
    priority: int
    persistent: bool
    kept: bool
    to: str
    at_us: int
    calm: bool
    held: bool
    stood: frozenset[Standing] = frozenset()


@dataclass
class Story:
    """All that was asked for and published.

    Attributes:
        calm_us: Moments at which nothing was wrong.
    """

    asked: list[Asked] = field(default_factory=list)
    emitted: list[Emitted] = field(default_factory=list)
    calm_us: list[int] = field(default_factory=list)

    def is_sure(self, asked: Asked, disturbed: list[int]) -> bool:
        """Tell whether a request must have come through: nothing went wrong around it."""
        until_us = asked.at_us + SECOND
        return asked.calm and not any(asked.at_us <= at_us <= until_us for at_us in disturbed)

    def last_of(self) -> dict[tuple[str, str, int, str], Asked]:
        """Return the newest request of each key."""
        return {each.key: each for each in self.asked}

    def settled_us(self, moment_us: int) -> int:
        """Return by when everybody knows what was asked at a moment: a second of calm later."""
        since: int | None = None
        before = 0
        for at_us in self.calm_us:
            if at_us < moment_us:
                continue
            if since is None or at_us - before > SECOND // 2:
                since = at_us
            before = at_us
            if at_us - since >= SECOND:
                return at_us
        return 1 << 62
