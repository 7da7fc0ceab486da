"""What a bus needs of the naming service, the policy service, and the runner of plug-ins."""

from dataclasses import dataclass
from typing import Protocol

from eventservices.bus.core import Decide, Decision


@dataclass(frozen=True, slots=True)
class Found:
    """What the naming service answers to a look-up.

    Attributes:
        buses: With sources of the event; None where that is not known now.
        again_s: After which to look up again, since the answer may be older than a new source or
            is not known now; 0 where it came from the server that keeps the name.
    """

    buses: tuple[str, ...] | None
    again_s: float = 0.0


class Naming(Protocol):
    """Knows where the sources of events are; never raises."""

    async def add(self, name: str, bus: str) -> bool:
        """Add a bus to an event's sources; return whether that is known to be done."""

    async def remove(self, name: str, bus: str) -> bool:
        """Remove a bus from an event's sources; return whether that is known to be done."""

    async def lookup(self, name: str) -> Found:
        """Return the buses with sources of an event."""


class Policy(Protocol):
    """Decides who may subscribe to what; never raises."""

    async def decide(self, request: Decide) -> Decision | None:
        """Return a decision; None where there is no answer."""
