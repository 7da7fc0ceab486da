"""What happened in a world, by its script."""

from dataclasses import dataclass, field

from fes.control import RequestType
from fes.model import Identity


@dataclass(frozen=True)
class Command:
    """A request of the script."""

    at_us: int
    kind: RequestType
    source: str
    requester: str
    least: int
    patterns: tuple[str, ...]


@dataclass(frozen=True)
class Emission:
    """An event of the script."""

    at_us: int
    service: str
    number: int
    identity: Identity
    persistent: bool = False


@dataclass
class Script:
    """What was asked for, published and broken, by when it happened.

    Attributes:
        commands: Every request.
        events: Every event.
        faults: When something could be lost.
        spans: When somebody could miss something, though there was a way round.
        hesitant: Whether destinations did not take what they were given at once.
    """

    commands: list[Command] = field(default_factory=list)
    events: list[Emission] = field(default_factory=list)
    faults: list[tuple[int, int]] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)
    hesitant: bool = False
