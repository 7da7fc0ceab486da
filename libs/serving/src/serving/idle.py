"""Closes connections that request nothing, so that there is room for others."""

import asyncio
from collections.abc import Collection
from typing import Any, Final

ASK_S: Final = 10.0
"""Longest time for a connection to send the head of a request."""

LOOK_S: Final = 1.0
"""Time between two checks."""


class Room(set[Any]):
    """The present connections, as `uvicorn` keeps them; the oldest idle one makes room.

    So a client that opens connections and requests nothing ends its own connections only, not those
    of a client that requests something.

    Args:
        most: Connections from which on one more ends another.

    Attributes:
        ended: Connections ended.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self.ended = 0
        self._most = most
        self._in_order: dict[Any, None] = {}
        self._ending: set[Any] = set()

    def add(self, connection: Any, /) -> None:
        """Add a connection, and end the oldest that requests nothing where there are too many."""
        while len(self) + 1 - len(self._ending) >= self._most:
            oldest = next((each for each in self._in_order if self._may_end(each)), None)
            if oldest is None:
                break
            self._ending.add(oldest)
            oldest.transport.close()
            self.ended += 1
        super().add(connection)
        self._in_order[connection] = None

    def discard(self, connection: Any, /) -> None:
        """Remove a connection that has ended."""
        super().discard(connection)
        self._in_order.pop(connection, None)
        self._ending.discard(connection)

    def _may_end(self, connection: Any) -> bool:
        there = connection not in self._ending and connection.transport is not None
        return there and _asks_nothing(connection)


class Idle:
    """Ends connections whose client does not finish the head of a request.

    `uvicorn` ends a connection that sends nothing *after* an answer only.

    Args:
        connections: The present connections, as `uvicorn` keeps them.

    Attributes:
        ended: Connections ended.
    """

    def __init__(self, connections: Collection[Any]) -> None:
        self.ended = 0
        self._connections = connections
        self._since_s: dict[Any, float] = {}

    async def watch(self) -> None:
        """Check periodically, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_S)
            self.look(asyncio.get_running_loop().time())

    def look(self, now_s: float) -> None:
        """End those that have requested nothing for too long."""
        idle = [each for each in self._connections if _asks_nothing(each)]
        self._since_s = {each: self._since_s.get(each, now_s) for each in idle}
        for each, since_s in self._since_s.items():
            if now_s - since_s >= ASK_S and each.transport is not None:
                each.transport.close()
                self.ended += 1


def _asks_nothing(connection: Any) -> bool:
    return connection.cycle is None or connection.cycle.response_complete
