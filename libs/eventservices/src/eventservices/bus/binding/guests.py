"""A bus's clients: those of its own process, and those that talk to it over NATS."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from eventservices.bus.wire.calls import Push

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


MISSED: int = 2
"""Looks of the monitor after which a client that does not answer has crashed."""
