"""Events that must not be delivered yet: `StartTime`.

Persistent events wait in custody; these are the others.
"""

import heapq
from typing import Final

from fes.gateway.forwarding.transit import Transit, of_event, weight_of_event
from fes.gateway.guidance.guiding import RIGHT_WITHDRAWN, IsWithdrawn
from fes.gateway.turn import Turn

DUE: Final = 100
"""Most events that one turn delivers: routing a thousand would keep the event loop waiting."""


class DeferredEvents:
    """Keeps events until they may be delivered.

    Args:
        limit: Most events; one above it is dropped and counted.
        limit_bytes: Most bytes that they account for.

    Attributes:
        bytes: Weight of all events.
    """

    def __init__(self, limit: int, limit_bytes: int) -> None:
        self.bytes = 0
        self._limit = limit
        self._limit_bytes = limit_bytes
        self._count = 0
        self._heap: list[tuple[int, int, Transit, tuple[str, ...]]] = []
        self._withdrawals: dict[int, IsWithdrawn] = {}

    def __len__(self) -> int:
        """Return the number of events."""
        return len(self._heap)

    def add(self, event: Transit, destinations: tuple[str, ...], turn: Turn) -> None:
        """Keep an event for its destinations."""
        weight = weight_of_event(event)
        if len(self._heap) >= self._limit or self.bytes + weight > self._limit_bytes:
            turn.decide(of_event("dropped", event, reason="too many wait for their StartTime"))
            return
        self._count += 1
        self.bytes += weight
        heapq.heappush(self._heap, (event.starts_us, self._count, event, destinations))

    def withdraw(self, is_withdrawn: IsWithdrawn, subjects: frozenset[str]) -> None:
        """Have copies of some subjects examined once they are due: they may be withdrawn by then.

        The newest change decides. To examine all of them now would keep the event loop waiting.
        """
        for _, count, event, _ in self._heap:
            if event.subject in subjects:
                self._withdrawals[count] = is_withdrawn

    def due(self, turn: Turn) -> list[tuple[Transit, tuple[str, ...]]]:
        """Return events that may be delivered by now, `DUE` at most, and forget them.

        Args:
            turn: The moment; collects decisions about copies that are withdrawn.
        """
        found = []
        for _ in range(DUE):
            if not self.is_behind(turn.now.time_us):
                break
            _, count, event, destinations = heapq.heappop(self._heap)
            self.bytes -= weight_of_event(event)
            is_withdrawn = self._withdrawals.pop(count, None)
            if is_withdrawn is not None:
                destinations = self._permitted(event, destinations, is_withdrawn, turn)
            if destinations:
                found.append((event, destinations))
        return found

    def is_behind(self, time_us: int) -> bool:
        """Return whether there is an event that might have been delivered by now."""
        return bool(self._heap) and self._heap[0][0] <= time_us

    @staticmethod
    def _permitted(
        event: Transit, destinations: tuple[str, ...], is_withdrawn: IsWithdrawn, turn: Turn
    ) -> tuple[str, ...]:
        left = []
        for name in destinations:
            if is_withdrawn(name, event.subject, event.body):
                turn.decide(of_event("dropped", event, to=name, reason=RIGHT_WITHDRAWN))
            else:
                left.append(name)
        return tuple(left)
