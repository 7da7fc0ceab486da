"""A bus's clients: those of its own process, and those that talk to it over NATS."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from eventservices.bus.wire.calls import Push

MISSED: Final = 2
"""Looks of the monitor after which a client that does not answer has crashed."""

Receive = Callable[[Push], Awaitable[None]]
"""Accepts what the bus sends a client; a delivery ends when it returns."""


@dataclass(slots=True)
class Guest:
    """One client.

    Attributes:
        receive: Accepts what is sent to it.
        local: Whether it is in the bus's process, and confirms a delivery by returning.
        watched: Whether the monitor watches it.
        missed: Looks of the monitor since it was last known to be alive.
    """

    receive: Receive
    local: bool
    watched: bool = False
    missed: int = 0

    def crashed(self) -> bool:
        """Look once more; return whether it is watched, and did not answer for long.

        The last sign of life may have come just before a look, or just after: it has crashed with
        the third look after it, between two and three times the time between two looks.
        """
        if self.watched and self.missed >= MISSED:
            return True
        self.missed += 1
        return False
