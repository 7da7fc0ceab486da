"""Events that a publishing policy keeps waiting: bounded, ordered by when they are due."""

from collections import Counter
from collections.abc import Callable, Iterator
from heapq import heapify, heappop, heappush

import msgspec

from fes.model import Event, Stamp
from fes.scopes.policies.declared import Overflow, Publishing


class Waiting(msgspec.Struct, frozen=True, array_like=True):
    """An event that waits at an edge, with what is known of its path there.

    Attributes:
        number: Of the row; grows.
        event_key: Names the event that was published, whatever became of it.
        stamp: Of the event as its producer published it.
        member: Scope whose publishing policy has it wait.
        scope: Superscope that it goes to.
        contents: What goes there, each with what made it.
        due_us: When it goes, federation clock; 0 where it waits for a condition.
        since_us: When the `Timeout` of its contents began, federation clock.
        publisher: Component that published it.
        mappings: How many mappings it passed.
        chain: Numbers of the stations it passed.
        context: Session that it is bound to.
        climbed: Edges with mappings that it went up.
        generation: Of the graph in which the event was first received.
        listed: The only consumers that may receive it; empty where subscriptions decide.
    """

    number: int
    event_key: str
    stamp: Stamp
    member: str
    scope: str
    contents: tuple[tuple[Event, tuple[tuple[int, int], ...]], ...]
    due_us: int
    since_us: int
    publisher: str
    mappings: int
    chain: tuple[int, ...]
    context: str
    climbed: tuple[tuple[str, str], ...]
    generation: int
    listed: tuple[str, ...] = ()


class Queue:
    """What waits at the edges of all scopes.

    Args:
        changed: Called with the key and the value of each row of the journal that changed; None
            where the row went.
    """

    def __init__(self, changed: Callable[[str, object | None], None]) -> None:
        self._changed = changed
        self._rows: dict[int, Waiting] = {}
        self._of: dict[str, dict[int, None]] = {}
        self._due: list[tuple[int, int]] = []
        self._events: Counter[str] = Counter()
        self._number = 0

    def __len__(self) -> int:
        """Return how many events wait."""
        return len(self._rows)

    def __iter__(self) -> Iterator[Waiting]:
        """Iterate over what waits, oldest first."""
        return iter(self._rows.values())

    def restore(self, row: Waiting) -> None:
        """Restore a row of the journal."""
        self._keep(row)

    def next_number(self) -> int:
        """Return the number of the next row."""
        return self._number + 1

    def add(self, row: Waiting, policy: Publishing) -> Waiting | None:
        """Have an event wait; return the one that went since the queue is full, or None."""
        kept = self._of.get(row.member, {})
        dropped = None
        if len(kept) >= policy.waiting:
            if policy.overflow is Overflow.NEWEST:
                return row
            dropped = self._rows[next(iter(kept))]
            self.remove(dropped)
        self._keep(row)
        self._changed(f"waiting/{row.number}", row)
        return dropped

    def remove(self, row: Waiting) -> None:
        """Have an event wait no longer."""
        del self._rows[row.number], self._of[row.member][row.number]
        self._events[row.event_key] -= 1
        if not self._events[row.event_key]:
            del self._events[row.event_key]
        self._changed(f"waiting/{row.number}", None)
        if len(self._due) > 64 + 2 * len(self._rows):
            self._due = [(each.due_us, each.number) for each in self._rows.values() if each.due_us]
            heapify(self._due)

    def due(self, now_us: int, most: int) -> list[Waiting]:
        """Return what is due, in order, at most so many; it must be removed."""
        due: list[Waiting] = []
        while self._due and self._due[0][0] <= now_us and len(due) < most:
            row = self._rows.get(heappop(self._due)[1])
            if row is not None:
                due.append(row)
        return due

    @property
    def next_due_us(self) -> int:
        """When something is due next, federation clock; 0 where nothing is."""
        return self._due[0][0] if self._due else 0

    def of(self, member: str) -> list[Waiting]:
        """Return what waits for a scope's publishing policy, oldest first."""
        return [self._rows[number] for number in self._of.get(member, {})]

    def keeps(self, event_key: str) -> bool:
        """Return whether anything that was made of an event waits."""
        return event_key in self._events

    def _keep(self, row: Waiting) -> None:
        self._rows[row.number] = row
        self._of.setdefault(row.member, {})[row.number] = None
        self._events[row.event_key] += 1
        self._number = max(self._number, row.number)
        if row.due_us:
            heappush(self._due, (row.due_us, row.number))
