"""A link in one direction as it is: bounded lanes, and an end that takes its time for events."""

from collections import defaultdict, deque
from collections.abc import Callable

from fes.link.end import Message
from fes.link.lanes import Lanes, is_event
from support.simulation.timeline import MS, Timeline

SERVICE_US = 8 * MS
"""How long an end is busy with an event."""

Act = Callable[[], None]


class Narrow:
    """Carries messages in the product's own lanes.

    Args:
        timeline: Has things happen.
        queue: Most events that wait.
        dropped: Is told each event that waited and had to go.
    """

    def __init__(self, timeline: Timeline, queue: int, dropped: Callable[[Message], None]) -> None:
        self.lanes = Lanes(queue=queue)
        self.refused = 0
        self._queue = queue
        self._timeline = timeline
        self._dropped = dropped
        self._acts: dict[int, deque[tuple[Message, Act]]] = defaultdict(deque)
        self._waiting = 0
        self._busy = False
        self.lanes.on_displaced = self._displaced

    def put(self, message: Message, act: Act) -> bool:
        """Send a message, which acts once it arrives; False where it is dropped."""
        event = is_event(message)
        self._waiting += event
        if not self.lanes.put(message):
            self._waiting -= event
            self.refused += 1
            return False
        self._acts[id(message)].append((message, act))
        if self._waiting > self._queue:
            self._timeline.broken.append(f"unbounded: {self._waiting} events wait on a link")
        if not self._busy:
            self._busy = True
            rng = self._timeline.rng
            self._timeline.at(rng.randint(MS, 5 * MS), self._take)
        return True

    def _take(self) -> None:
        batch = self.lanes.take()
        if not batch:
            self._busy = False
            return
        after_us, events = 0, [message for message in batch if is_event(message)]
        self._waiting -= len(events)
        self._check(events)
        for message in batch:
            after_us += SERVICE_US if is_event(message) else 0
            self._timeline.at(after_us, self._forget(message))
        self._timeline.at(after_us, self._take)

    def _check(self, events: list[Message]) -> None:
        priorities = [getattr(message, "priority", 0) for message in events]
        if priorities != sorted(priorities, reverse=True):
            self._timeline.broken.append(f"urgent events wait behind others: {priorities}")

    def _displaced(self, message: Message) -> None:
        self.refused += 1
        self._waiting -= 1
        self._forget(message)
        self._dropped(message)

    def _forget(self, message: Message) -> Act:
        acts = self._acts[id(message)]
        act = acts.popleft()[1]
        if not acts:
            del self._acts[id(message)]
        return act
