"""Closes connections that request nothing, so that there is room for others."""

import asyncio
from collections.abc import Collection
from typing import Any, Final

ASK_S: Final = 10.0
"""Longest time for a connection to send the head of a request."""

LOOK_S: Final = 1.0
"""Time between two checks."""


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
