"""The publications in transit to the broker: sent in order, and again in order. No I/O."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Outcome = TypeVar("Outcome")


@dataclass(slots=True, eq=False)
class Publication(Generic[Outcome]):
    """One message in transit.

    Attributes:
        number: Counts them, from 1.
        subject, payload, headers: The message.
        outcome: Where the sender waits for what becomes of it.
        sent_s: When it was last sent, monotonic seconds; None while it waits for that.
        settled: Whether the broker answered.
    """

    number: int
    subject: str
    payload: bytes
    headers: Mapping[str, str]
    outcome: Outcome
    sent_s: float | None = field(default=None)
    settled: bool = field(default=False)


class Window(Generic[Outcome]):
    """Keeps publications until they are acknowledged, within bounds.

    A new connection begins with the oldest that is not acknowledged, and each one sends without a
    gap. So whichever of two connections' messages the broker accepts first, the first copy of one
    comes before the first copy of the next; later copies it knows by their identity.

    Args:
        count: Most publications.
        size_bytes: Most bytes; a single larger one is accepted when it is alone.
    """

    def __init__(self, count: int, size_bytes: int) -> None:
        self._count = count
        self._size_bytes = size_bytes
        self._held: dict[int, Publication[Outcome]] = {}
        self._unsent: deque[Publication[Outcome]] = deque()
        self._bytes = 0
        self._last = 0

    def __len__(self) -> int:
        """Return how many are not acknowledged."""
        return len(self._held)

    def has_room(self, size_bytes: int) -> bool:
        """Return whether another publication may be added."""
        if not self._held:
            return True
        return len(self._held) < self._count and self._bytes + size_bytes <= self._size_bytes

    def add(
        self, subject: str, payload: bytes, headers: Mapping[str, str], outcome: Outcome
    ) -> Publication[Outcome]:
        """Add a publication, to be sent after all others."""
        self._last += 1
        made = Publication(self._last, subject, payload, headers, outcome)
        self._held[made.number] = made
        self._unsent.append(made)
        self._bytes += len(payload)
        return made

    def next(self, now_s: float) -> Publication[Outcome] | None:
        """Return what is to be sent now, and count it as sent; None where all is.

        Args:
            now_s: Monotonic time, seconds.
        """
        while self._unsent:
            found = self._unsent.popleft()
            if not found.settled:
                found.sent_s = now_s
                return found
        return None

    def settle(self, number: int) -> Publication[Outcome] | None:
        """Remove and return a publication that the broker answered.

        None where it is no longer known.
        """
        found = self._held.pop(number, None)
        if found is not None:
            found.settled = True
            self._bytes -= len(found.payload)
        return found

    def rewind(self) -> None:
        """Queue everything that is not acknowledged again, in order: the connection is new."""
        for held in self._held.values():
            held.sent_s = None
        self._unsent = deque(self._held.values())

    def clear(self) -> list[Publication[Outcome]]:
        """Remove everything; return what was not acknowledged."""
        held = list(self._held.values())
        for publication in held:
            self.settle(publication.number)
        self._unsent.clear()
        return held

    def waits_since_s(self) -> float | None:
        """Return when the oldest that is not acknowledged was sent; None where none was."""
        oldest = next(iter(self._held.values()), None)
        return None if oldest is None else oldest.sent_s
