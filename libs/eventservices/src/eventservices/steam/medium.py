"""The air, as nodes and observers see it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from eventservices.steam.beacon import Announcement, Membership
from eventservices.steam.cells import Grid
from eventservices.steam.counters import Counters
from eventservices.steam.fanout import Fanout
from eventservices.steam.geometry import Position
from eventservices.steam.link import Acknowledged, Link
from eventservices.steam.location import Location
from eventservices.steam.settings import AirSettings
from eventservices.steam.topics import Kind, Topics

Message = Callable[[Position, int], Announcement | Membership]
"""Makes a beacon of a position and a time."""


@dataclass(frozen=True, slots=True)
class Carrier:
    """A connection and what listens on it."""

    link: Link
    fanout: Fanout


class Looking(Protocol):
    """A receiver that moves; `Receiver` implements it."""

    def look(self) -> Sequence[Acknowledged]:
        """Cover the surroundings of now; return the pending replies of the broker."""


class Member(Protocol):
    """A node on the air; `Node` implements it."""

    @property
    def name(self) -> str:
        """Unique on the air."""

    @property
    def counters(self) -> Counters:
        """What the node counted."""


class Medium(Protocol):
    """What a node uses of the air; `Air` implements it.

    Attributes:
        settings: Name, broker, grid and limits.
        clock_us: The trace's clock, microseconds since 1970 UTC.
        grid: Cells of positions.
        topics: Topics of cells and subjects.
        receivers: Those that move, and have to look around in each round.
    """

    settings: AirSettings
    clock_us: Callable[[], int]
    grid: Grid
    topics: Topics
    receivers: dict[Looking, None]

    @property
    def lead_us(self) -> int:
        """How far ahead a moving node must look, on the trace's clock; microseconds."""

    def monotonic_s(self) -> float:
        """Return the event loop's time; seconds."""

    def carrier(self, name: str) -> Carrier:
        """Return the connection that a node uses, always the same."""

    def forget(self, node: Member) -> None:
        """Remove a node from the air; its counters stay in the sum."""

    def tell(
        self, link: Link, kind: Kind, subject: str, location: Location, message: Message
    ) -> None:
        """Send a beacon from where a node is; see `Air.tell`."""
