"""Input and output of a router: one segment of an event's paths."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, Protocol

from fes.model import Event
from fes.scopes.identity import Lineage


class Content(NamedTuple):
    """An event as mappings left it.

    Attributes:
        event: The event.
        lineage: What made it; empty for the event as it was published.
    """

    event: Event
    lineage: Lineage = ()


class Phase(Enum):
    """Where a segment begins."""

    MEMBER = "a component publishes"
    RISING = "has come up into a scope"
    ENTERING = "comes down to a member"
    INSIDE = "a scope delivers it to its members"


EdgeName = tuple[str, str]
"""Member and scope."""


class Station(NamedTuple):
    """A component of figure 8: receives events at one place and publishes what it makes of them.

    Attributes:
        kind: `up` or `down` an edge that maps or keeps waiting, or `gate` of a scope with a tag
            or a policy.
        member: Of the edge; empty for a gate.
        scope: Of the edge, or the scope itself.
    """

    kind: str
    member: str
    scope: str


@dataclass(frozen=True, slots=True)
class Publication:
    """What one segment begins with.

    Attributes:
        publisher: Component that published the event; it does not receive it.
        origin: Component or scope where the segment begins.
        phase: How it begins.
        contents: What is published.
        mappings: How many mappings it passed.
        chain: Numbers of the stations it passed.
        context: Session that the publisher reacts in, until it was entered; empty where it is
            bound to none.
        session: Session in which it was last delivered to members; empty for none.
        climbed: Edges with mappings that it went up; it does not come down those.
        only: Members that a gate chose; None for all.
    """

    publisher: str
    origin: str
    phase: Phase
    contents: tuple[Content, ...]
    mappings: int = 0
    chain: tuple[int, ...] = ()
    context: str = ""
    session: str = ""
    climbed: frozenset[EdgeName] = frozenset()
    only: frozenset[str] | None = None

    @property
    def rank(self) -> tuple[int, tuple[int, ...]]:
        """Its place among the paths: fewest mappings first, then in order of declaration."""
        return self.mappings, self.chain


@dataclass(slots=True)
class Arrival:
    """What arrives at a station in one segment.

    Attributes:
        contents: In their order, each once.
        context: Session that the event is still bound to; empty where by any path it is not.
        via: Members of a gate's scope that the event came up from.
    """

    contents: list[Content] = field(default_factory=list)
    context: str = ""
    via: set[str] = field(default_factory=set)

    def add(self, content: Content, context: str) -> None:
        """Add what arrived by one path."""
        if not self.contents:
            self.context = context
        elif not context:
            self.context = ""
        if content not in self.contents:
            self.contents.append(content)


@dataclass(slots=True)
class Reached:
    """Where a segment leads.

    Attributes:
        consumers: By component that has a matching subscription: what it may receive.
        stations: By station: what arrives there.
    """

    consumers: dict[str, list[Content]] = field(default_factory=dict)
    stations: dict[Station, Arrival] = field(default_factory=dict)

    def deliver(self, consumer: str, content: Content) -> None:
        """Note that a consumer may receive an event."""
        contents = self.consumers.setdefault(consumer, [])
        if content not in contents:
            contents.append(content)

    def arrive(self, station: Station, content: Content, context: str, via: str = "") -> None:
        """Note that an event arrives at a station."""
        arrival = self.stations.setdefault(station, Arrival())
        arrival.add(content, context)
        if via:
            arrival.via.add(via)


class Audience(Protocol):
    """Who has subscribed to what, and who is there."""

    def listen_to(self, publisher: str, listed: tuple[str, ...] = ()) -> None:
        """Answer, from now on, for the subscriptions to what a component publishes.

        Where an event has a list, each component on it receives it as if it had subscribed, and no
        other does.
        """
        ...

    def matching(self, event: Event) -> Iterable[str]:
        """Return the components that have a matching subscription."""
        ...

    def matches(self, consumer: str, event: Event) -> bool:
        """Return whether a component has a matching subscription."""
        ...

    def is_present(self, consumer: str) -> bool:
        """Return whether a component is there to receive."""
        ...

    def load(self, member: str) -> int:
        """Return how much a member has to do; the least loaded is chosen by `load`."""
        ...


class Router(Protocol):
    """Finds where a segment leads."""

    def reach(self, publication: Publication, audience: Audience) -> Reached:
        """Return the consumers and stations that a publication reaches."""
        ...
