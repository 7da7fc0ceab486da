"""Sends what an adapter received to the replica that it is for, or keeps it waiting."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import structs

from fes.adapter.replicas.adapter_side import Inside
from fes.adapter.replicas.desired import ALONE
from fes.adapter.replicas.membership import Place, Views
from fes.adapter.replicas.merged_state import Wants
from fes.adapter.replicas.replica_link import Line
from fes.adapter.replicas.waiting import Waiting
from fes.link.end import Message
from fes.link.messages import Heard, HeardControl

NO_REPLICA: Final = "no replica"
NOT_KNOWN: Final = "replica does not know it yet"
FULL: Final = "link queue full"


class Handing:
    """Sends messages to replicas, in the order of each origin.

    Nothing waits for a replica that is linked: what waited is sent as soon as it is.

    Args:
        linked: Line by replica.
        views: Which replicas there are.
        wants: The desired states of the replicas, with their numbers.
        inside: Is notified of what is dropped.
        now_s: Monotonic clock, seconds.

    Attributes:
        waiting: The messages that wait.
    """

    def __init__(
        self,
        linked: Mapping[str, Line],
        views: Views,
        wants: Wants,
        inside: Inside,
        now_s: Callable[[], float],
    ) -> None:
        self.waiting = Waiting()
        self._linked = linked
        self._views = views
        self._wants = wants
        self._inside = inside
        self._now_s = now_s
        self._counts = dict.fromkeys(("unknown", "unlinked", "overflow", "fenced", "displaced"), 0)

    @property
    def counters(self) -> dict[str, int]:
        """Messages that wait now, and those dropped so far, by reason."""
        dropped = {f"replica_{why}": count for why, count in self._counts.items()}
        return {"replica_waiting": len(self.waiting), **dropped}

    def line_of(self, place: Place) -> Line | None:
        """Return the link to the replica that a message is for; None where it is down."""
        if self._views.newest is None:
            return self._linked.get(ALONE)
        replica = self._views.holder(place)
        return self._linked.get(replica) if replica else None

    def hand(self, message: Heard | HeardControl, place: Place) -> bool:
        """Send a message, or keep it waiting; return False where it was not accepted."""
        line = self.line_of(place)
        if line is not None:
            return self._send(line, message)
        if self._views.newest is None or (isinstance(message, Heard) and message.token):
            return False
        if not self.waiting.put(place, message, self._now_s()):
            self._counts["overflow"] += 1
            return False
        return True

    def flush(self) -> None:
        """Send what waited for a replica that is linked now."""
        if not self.waiting:
            return
        self.expire()
        for place in self.waiting.places:
            line = self.line_of(place)
            if line is not None:
                self._send_all(line, self.waiting.take(place))

    def expire(self) -> None:
        """Drop what waited for too long."""
        for message in self.waiting.expired(self._now_s()):
            self.drop(message, "unlinked", NO_REPLICA)

    def drop(self, message: Message, why: str, reason: str) -> None:
        """Count and log a message that is dropped."""
        self._counts[why] += 1
        self._inside.dropped(message, reason)

    def _send_all(self, line: Line, messages: list[Message]) -> None:
        for message in messages:
            if not self._send(line, message):
                self.drop(message, "overflow", FULL)

    def _send(self, line: Line, message: Message) -> bool:
        if not isinstance(message, Heard):
            return line.send(message)
        matched = self._wants.numbers(line.replica, message.matched)
        if matched:
            version = self._wants.version(line.replica, message.desired)
            return line.send(structs.replace(message, matched=matched, desired=version))
        if not message.token:
            self.drop(message, "unknown", NOT_KNOWN)
        return not message.token
