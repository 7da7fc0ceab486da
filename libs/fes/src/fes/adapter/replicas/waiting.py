"""What waits for a replica that is not linked now."""

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
"""Longest wait of what the leader has charge of."""


class Waiting:
    """Keeps messages by whom they are for, each in its order.

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
        """Whom something waits for, the longest first."""
        return tuple(self._places)

    def put(self, place: Place, message: Message, now_s: float) -> bool:
        """Have a message wait; False where too many do.

        Args:
            place: Whom it is for.
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
        """Return all that waits for one, in its order; it waits no more."""
        waited = self._places.pop(place, deque())
        self._count[place == REQUEST] -= len(waited)
        return [message for _, message in waited]

    def expired(self, now_s: float) -> list[Message]:
        """Return what has waited for too long; it waits no more."""
        gone: list[Message] = []
        for place, waited in tuple(self._places.items()):
            while waited and waited[0][0] <= now_s:
                gone.append(waited.popleft()[1])
                self._count[place == REQUEST] -= 1
            if not waited:
                del self._places[place]
        return gone
