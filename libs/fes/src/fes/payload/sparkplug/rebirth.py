"""Requests to edge nodes to repeat their births: bounded, and no more than needed.

Source:
    Eclipse Sparkplug 3.0.0, section 6.4 (Node Control/Rebirth) and 5.5 (host applications).
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from fes.model import Field, Type
from fes.payload.sparkplug.nodes import MAX_NODES
from fes.payload.sparkplug.topics import Address

REBIRTH: Final = Field("Node Control/Rebirth", Type.BOOLEAN, True)
"""The metric of the command."""

REBIRTH_S: Final = 60.0
"""Shortest time between two requests to one node."""

MAX_REQUESTS: Final = 100
"""Most requests that wait to be sent."""


class Rebirths:
    """Decides which nodes are requested to repeat their births.

    Args:
        clock_s: A clock that never goes back, seconds.
        allowed: Whether nodes are requested at all.

    Attributes:
        requested: How often one was made.
        dropped: Those that found no room among the waiting ones.
    """

    def __init__(self, clock_s: Callable[[], float], *, allowed: bool) -> None:
        self.requested = 0
        self.dropped = 0
        self._clock_s = clock_s
        self._allowed = allowed
        self._asked: OrderedDict[tuple[str, str], float] = OrderedDict()
        self._waiting: list[Address] = []

    def request(self, address: Address) -> None:
        """Request one of a node, unless there was one of late."""
        key, now_s = (address.group, address.node), self._clock_s()
        if not self._allowed or now_s - self._asked.get(key, now_s - REBIRTH_S) < REBIRTH_S:
            return
        if len(self._waiting) >= MAX_REQUESTS:
            self.dropped += 1
            return
        self._asked[key] = now_s
        self._asked.move_to_end(key)
        while len(self._asked) > MAX_NODES:
            self._asked.popitem(last=False)
        self._waiting.append(Address(address.group, "NCMD", address.node, ""))
        self.requested += 1

    def take(self) -> list[Address]:
        """Return where requests are to be sent, and forget them."""
        waiting, self._waiting = self._waiting, []
        return waiting
