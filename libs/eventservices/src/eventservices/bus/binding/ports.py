"""What a bus asks of the naming service, the policy service, and the runner of plug-ins."""

from typing import Protocol

from eventservices.bus.core import Decide, Decision


class Naming(Protocol):
    """Knows where the sources of events are; never raises."""

    async def add(self, name: str, bus: str) -> bool:
        """Add a bus to an event's sources; return whether that is known to be done."""

    async def remove(self, name: str, bus: str) -> bool:
        """Remove a bus from an event's sources; return whether that is known to be done."""

    async def lookup(self, name: str) -> tuple[str, ...] | None:
        """Return the buses with sources of an event; None where that is not known now."""


class Policy(Protocol):
    """Decides who may subscribe to what; never raises."""

    async def decide(self, request: Decide) -> Decision | None:
        """Return a decision; None where there is no answer."""
