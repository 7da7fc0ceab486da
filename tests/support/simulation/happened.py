"""What happened in a world, by its script."""

import math
from dataclasses import dataclass, field

from fes.control import RequestType
from fes.model import Identity
from support.drawing.wishes import Reading, Wish


@dataclass(frozen=True)
class Command:
    """A request of the script; `expires_us` is the end of its lease, 0 where it has none."""

    at_us: int
    kind: RequestType
    source: str
    requester: str
    wish: Wish
    patterns: tuple[str, ...]
    expires_us: int = 0


@dataclass(frozen=True)
class Emission:
    """An event of the script.

    Attributes:
        expires_us: When it is worthless; 0 where never.
        starts_us: Before when it must not be delivered; 0 where it may be at once.
        patterns: Event services that it was published to by name; empty where it was published
            natively, for those who asked.
    """

    at_us: int
    service: str
    said: Reading
    identity: Identity
    persistent: bool = False
    expires_us: int = 0
    starts_us: int = 0
    patterns: tuple[str, ...] = ()


@dataclass
class Parting:
    """An event service that was in no scope for a while.

    Attributes:
        service: The event service.
        at_us: When it left.
        gone_us: When all gateways knew that.
        back_us: When it joined again.
        settled_us: When all gateways knew that, and had applied requests again.
        generations: How many changes of scopes each gateway has applied, as was seen last.
    """

    service: str
    at_us: float = math.inf
    gone_us: float = math.inf
    back_us: float = math.inf
    settled_us: float = math.inf
    generations: dict[str, int] = field(default_factory=dict)

    def hides(self, event: Emission) -> bool:
        """Return whether an event is one that the event service does not see, nor others of it."""
        return self.gone_us <= event.at_us < self.back_us

    def may_hide(self, event: Emission, until_us: float) -> bool:
        """Return whether an event may be stopped that is in transit until some moment."""
        return self.at_us <= until_us and event.at_us <= self.settled_us


@dataclass
class Script:
    """What was asked for, published and broken, by when it happened.

    Attributes:
        commands: Every request.
        events: Every event.
        faults: When something could be lost.
        spans: When somebody could miss something, though there was a way round.
        hesitant: Whether destinations did not take what they were given at once.
        parted: Event services that left the scope of all.
        scarce: Whether gateways had too little room for persistent events.
    """

    commands: list[Command] = field(default_factory=list)
    events: list[Emission] = field(default_factory=list)
    faults: list[tuple[int, int]] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    parted: list[Parting] = field(default_factory=list)
    hesitant: bool = False
    scarce: bool = False
