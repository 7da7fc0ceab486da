"""Requests that buses have to answer: sent again until they do, in bounded portions and fairly.

Each bus has a window of requests in transit, and is sent more as it answers. The pauses of one that
does not answer grow, up to 16 times, and its requests are sent after those to buses that do.
"""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from eventservices.bus.core.agenda import Agenda

PORTION: Final = 256
"""Most requests that are sent between two ticks, new ones and those that are sent again."""

SILENT_PORTION: Final = 64
"""How many of them are to buses that do not answer, where others have to wait."""

IN_TRANSIT: Final = 64
"""Most requests in transit to one bus."""

LOOKS: Final = 1000
"""Most buses and requests together whose time is looked at by one tick."""

MOST_DOUBLINGS: Final = 4

Key = tuple[str, int]
"""An event's name and a sink's number where a subscription ends; "" and the number of one else."""


@dataclass(slots=True)
class _Bus:
    """What one bus has not answered.

    Attributes:
        answered_us: When it last sent anything, or the first of these requests was made.
        is_silent: Whether a request's time has passed since.
        ready: What is to be sent, the longest waiting first, and how often it was sent.
        in_transit: What was sent, the oldest first, when, and until when others wait for it.
        later: When that is sent again.
        tries: How often what is in `later` was sent.
    """

    answered_us: int
    is_silent: bool = False
    ready: dict[Key, int] = field(default_factory=dict)
    in_transit: dict[Key, tuple[int, int]] = field(default_factory=dict)
    later: Agenda[Key] = field(default_factory=Agenda)
    tries: dict[Key, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.ready) + len(self.tries)

    def has_room(self) -> bool:
        return bool(self.ready) and len(self.in_transit) < IN_TRANSIT

    def remove(self, key: Key) -> None:
        self.ready.pop(key, None)
        self.in_transit.pop(key, None)
        if self.tries.pop(key, None) is not None:
            self.later.cancel(key)


class Requests:
    """Sends requests to buses, until each is answered or ended.

    Args:
        send: Sends a request to a bus.
        retry_us: After which a request is sent again first.
        counters: Counts what is sent again, as `requests_resent`.
    """

    def __init__(
        self, send: Callable[[str, Key, int], None], retry_us: int, counters: Counter[str]
    ) -> None:
        self._send = send
        self._retry_us = retry_us
        self._counters = counters
        self._buses: dict[str, _Bus] = {}
        self._times: Agenda[str] = Agenda()
        self._turns: tuple[deque[str], deque[str]] = (deque(), deque())
        self._queued: set[str] = set()
        self._left = PORTION

    def __len__(self) -> int:
        """Return how many requests are not answered."""
        return sum(map(len, self._buses.values()))

    def has(self, bus: str, key: Key) -> bool:
        """Return whether a request is not answered."""
        found = self._buses.get(bus)
        return found is not None and (key in found.ready or key in found.tries)

    def add(self, bus: str, key: Key, now_us: int) -> None:
        """Send a request, now or when it has its turn; one that was made before begins again."""
        found = self._buses.get(bus)
        if found is None:
            found = self._buses[bus] = _Bus(now_us)
        found.remove(key)
        found.ready[key] = 0
        self._queue(bus, found)
        self._pump(now_us)

    def end(self, bus: str, key: Key, now_us: int) -> None:
        """Send a request no more: it was answered, or is void."""
        found = self._buses.get(bus)
        if found is None:
            return
        found.remove(key)
        if not found:
            self.drop(bus)
            return
        self._queue(bus, found)
        self._pump(now_us)

    def drop(self, bus: str) -> None:
        """Send a bus nothing more."""
        self._buses.pop(bus, None)
        self._times.cancel(bus)

    def answered(self, bus: str, now_us: int) -> None:
        """Note a sign of life of a bus; to one that was silent all is sent again soon."""
        found = self._buses.get(bus)
        if found is None:
            return
        silence_us, found.answered_us = now_us - found.answered_us, now_us
        found.is_silent = False
        if silence_us > self._retry_us << MOST_DOUBLINGS:
            for key in found.tries:
                found.ready[key] = 1
            found.later, found.tries = Agenda(), {}
            found.in_transit.clear()
            self._queue(bus, found)

    def tick(self, now_us: int) -> None:
        """Send the next portion of what is due."""
        self._left, looks = PORTION, LOOKS
        for bus in self._times.due(now_us, LOOKS):
            looks -= self._look(bus, self._buses[bus], now_us)
            if looks <= 0:
                break
        self._pump(now_us)

    def _look(self, bus: str, found: _Bus, now_us: int) -> int:
        """Find out what of a bus is due; return how many looks that was."""
        looks = 1
        while found.in_transit:
            key, (sent_us, until_us) = next(iter(found.in_transit.items()))
            if until_us > now_us:
                break
            looks += 1
            del found.in_transit[key]
            found.is_silent = found.is_silent or found.answered_us <= sent_us
        for key in found.later.due(now_us, IN_TRANSIT):
            looks += 1
            found.in_transit.pop(key, None)
            found.ready[key] = found.tries.pop(key)
        self._queue(bus, found)
        return looks

    def _pause_us(self, found: _Bus, now_us: int) -> int:
        """Return for how long a request is in transit: the longer, the longer its bus is silent."""
        silence_us = now_us - found.answered_us
        longest_us = self._retry_us << MOST_DOUBLINGS
        return min(max(silence_us, self._retry_us), longest_us)

    def _queue(self, bus: str, found: _Bus) -> None:
        """Let a bus wait for its turn, or until something of it is due."""
        if found.has_room():
            if bus not in self._queued:
                self._queued.add(bus)
                self._turns[found.is_silent].append(bus)
            return
        times = [found.later.first_us()]
        if found.ready:
            times.append(next(iter(found.in_transit.values()))[1])
        self._times.plan(bus, min(each for each in times if each is not None))

    def _pump(self, now_us: int) -> None:
        answering, silent = self._turns
        while self._left > 0:
            # Those that do not answer have their part of a portion, and what the others leave.
            part = silent and (not answering or self._left <= SILENT_PORTION)
            turns = silent if part else answering
            if not turns:
                return
            self._take_turn(turns.popleft(), now_us)

    def _take_turn(self, bus: str, now_us: int) -> None:
        self._queued.discard(bus)
        found = self._buses.get(bus)
        if found is None:
            return
        if found.has_room():
            self._left -= 1
            key = next(iter(found.ready))
            tries = found.ready.pop(key)
            self._counters["requests_resent"] += tries > 0
            until_us = now_us + self._pause_us(found, now_us)
            found.in_transit[key] = (now_us, until_us)
            found.tries[key] = tries + 1
            pause_us = self._retry_us << min(tries, MOST_DOUBLINGS)
            found.later.plan(key, max(now_us + pause_us, until_us))
            self._send(bus, key, now_us)
        if bus in self._buses:
            self._queue(bus, found)
