"""The time in which a connection is missed."""

import asyncio
import contextlib
from typing import Final

RETURN_S: Final = 2.0
"""How long an event waits for a connection that was lost."""


class Outage:
    """Has events wait for a connection that was lost, a moment."""

    def __init__(self) -> None:
        self._since_s: float | None = None
        self._over = asyncio.Event()

    async def wait(self) -> None:
        """Return when it is over, or has lasted `RETURN_S`; it begins with the first who waits."""
        if self._since_s is None:
            self._since_s = asyncio.get_running_loop().time()
            self._over.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(self._since_s + RETURN_S):
                await self._over.wait()

    def end(self) -> None:
        """Note that the connection is back, or is needed no longer."""
        self._since_s = None
        self._over.set()
