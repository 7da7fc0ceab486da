"""What a connection counts, and the malformed messages that it sets aside."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

OnMalformed = Callable[[str, bytes], None]
"""Accepts the reason why a message was set aside, and its payload; must not raise."""


@dataclass(slots=True)
class Counters:
    """What happened on a connection since it was made.

    Attributes:
        published: Notifications passed to NATS.
        received: Notifications that came in.
        delivered: Callbacks called.
        unmatched: Notifications that came in and matched no filter.
        unstamped: Notifications without a stamp; they are delivered, repeated or not.
        malformed: Messages that were no notifications or no control messages.
        callback_errors: Callbacks that raised; each is logged.
        unproved: Servers that did not confirm a subscription in time.
        index_conflicts: Messages of connections that use another index attribute or semantics.
        unadvertised: Publications kept back because no advertisement of their party covers them.
        held_dropped: Deliveries that found no place while their party was suspended.
        stream_dropped: Deliveries that found no place in a stream whose reader was slow.
        pattern_dropped: Notifications that no longer wait for a pattern to be completed.
    """

    published: int = 0
    received: int = 0
    delivered: int = 0
    unmatched: int = 0
    unstamped: int = 0
    malformed: int = 0
    callback_errors: int = 0
    unproved: int = 0
    index_conflicts: int = 0
    unadvertised: int = 0
    held_dropped: int = 0
    stream_dropped: int = 0
    pattern_dropped: int = 0


@dataclass(frozen=True, slots=True)
class Malformed:
    """A message that was set aside, as it came, with the reason."""

    subject: str
    headers: bytes
    payload: bytes
    reason: str


class Aside:
    """Keeps the last malformed messages.

    Args:
        counters: Where they are counted.
        kept: How many are kept; the oldest go first.

    Attributes:
        messages: Those that are kept.
        watchers: The first of them is called with the reason and the payload of each message: those
            that share a connection report it once. Plain functions, which must not raise.
    """

    def __init__(self, counters: Counters, kept: int) -> None:
        self.watchers: list[OnMalformed] = []
        self._counters = counters
        self.messages: deque[Malformed] = deque(maxlen=kept)

    def put(self, subject: str, headers: bytes, payload: bytes, reason: str) -> None:
        """Count a message, and keep it."""
        self._counters.malformed += 1
        self.messages.append(Malformed(subject, headers, payload, reason))
        if self.watchers:
            self.watchers[0](reason, payload)
