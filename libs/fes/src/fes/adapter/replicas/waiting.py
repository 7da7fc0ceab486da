"""Messages that wait for a replica that is not linked now."""

from collections import deque
from typing import Final

from fes.adapter.replicas.membership import REQUEST, Place
from fes.link.end import Message

EVENTS: Final = 10_000
"""Most events that wait; one above it is dropped."""

REQUESTS: Final = 1_000
"""Most requests that wait; one above it is dropped."""

EVENT_S: Final = 5.0
"""Longest wait of a best-effort event."""

LEADER_S: Final = 30.0
"""Longest wait of what is for the leader."""


class Waiting:
    """Keeps messages by the replica that they are for, each in its order.

    Args:
        events: Most events that wait.
        requests: Most requests that wait.
    """

    def __init__(self, events: int = EVENTS, requests: int = REQUESTS) -> None:
        self._most = {True: requests, False: events}
        self._count = {True: 0, False: 0}
        self._places: dict[Place, deque[tuple[float, Message]]] = {}

    def __len__(self) -> int:
        """Return how many messages wait."""
        return sum(self._count.values())

    @property
    def places(self) -> tuple[Place, ...]:
        """The places for which something waits, the longest first."""
        return tuple(self._places)

    def put(self, place: Place, message: Message, now_s: float) -> bool:
        """Keep a message waiting; return False where too many wait.

        Args:
            place: The replica that it is for.
            message: The message.
            now_s: Monotonic clock, seconds.
        """
        kind = place == REQUEST
        if self._count[kind] >= self._most[kind]:
            return False
        self._count[kind] += 1
        until_s = now_s + (LEADER_S if place.leads else EVENT_S)
        self._places.setdefault(place, deque()).append((until_s, message))
        return True

    def take(self, place: Place) -> list[Message]:
        """Remove and return all that waits for one place, in its order."""
        waited = self._places.pop(place, deque())
        self._count[place == REQUEST] -= len(waited)
        return [message for _, message in waited]

    def expired(self, now_s: float) -> list[Message]:
        """Remove and return what has waited for too long."""
        gone: list[Message] = []
        for place, waited in tuple(self._places.items()):
            while waited and waited[0][0] <= now_s:
                gone.append(waited.popleft()[1])
                self._count[place == REQUEST] -= 1
            if not waited:
                del self._places[place]
        return gone
