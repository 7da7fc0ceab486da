"""Inboxes: what a subscription brings, to be read in one's own time."""

import asyncio
from collections import deque

from eventservices.errors import MalformedError
from eventservices.steam.event import Notification

INBOX_SIZE = 1000
"""Notifications that an inbox keeps by default."""


class Inbox:
    """Keeps notifications until they are read with `async for`.

    Where the reader does not keep up the oldest is dropped, as an old position is worth less than
    a new one. Reading ends with the subscription, once the rest has been read.

    Args:
        size: Most notifications kept, from 1.

    Attributes:
        dropped: Notifications that went unread.

    Raises:
        MalformedError: `size` is less than 1.
    """

    def __init__(self, size: int = INBOX_SIZE) -> None:
        if size < 1:
            raise MalformedError(f"an inbox keeps at least 1 notification, not {size}")
        self.dropped = 0
        self._kept: deque[Notification] = deque(maxlen=size)
        self._changed = asyncio.Event()
        self._ended = False

    def __len__(self) -> int:
        """Return how many notifications wait."""
        return len(self._kept)

    def put(self, notification: Notification) -> None:
        """Accept a notification."""
        self.dropped += len(self._kept) == self._kept.maxlen
        self._kept.append(notification)
        self._changed.set()

    def end(self) -> None:
        """Note that nothing more will come."""
        self._ended = True
        self._changed.set()

    def __aiter__(self) -> "Inbox":
        """Return itself: all readers share what comes."""
        return self

    async def __anext__(self) -> Notification:
        """Return the oldest notification that waits, or wait for one."""
        while not self._kept:
            if self._ended:
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        return self._kept.popleft()
