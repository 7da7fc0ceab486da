"""Probes: messages to oneself, which prove that a connection both sends and receives."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from eventservices.attention import attentively
from eventservices.errors import NotConnectedError

Send = Callable[[bytes], Awaitable[None]]
"""Publishes a payload to one's own inbox."""


class Probes:
    """The probes of one link that are in transit; as many as there are tasks that wait."""

    def __init__(self) -> None:
        self._waiting: dict[bytes, asyncio.Future[bool]] = {}
        self._number = 0

    async def run(self, send: Send, timeout_s: float) -> float:
        """Send a probe and wait until it is received.

        Returns:
            The round trip in seconds.

        Raises:
            TimeoutError: It was not received in time.
            NotConnectedError: It could not be sent, or the link was closed meanwhile.
        """
        self._number += 1
        token = b"%d" % self._number
        heard: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting[token] = heard
        start_s = time.monotonic()
        try:
            async with asyncio.timeout(timeout_s) as sending:
                await send(token)
                sending.reschedule(None)
            came = await attentively(heard, timeout_s)
        finally:
            del self._waiting[token]
        if not came:
            raise NotConnectedError("the link was closed")
        return time.monotonic() - start_s

    def hear(self, _subject: str, payload: bytes, _headers: bytes, _reply: str) -> None:
        """Accept a message to oneself."""
        waiting = self._waiting.get(payload)
        if waiting is not None and not waiting.done():
            waiting.set_result(True)

    def give_up(self) -> None:
        """Fail all that wait: the link is closed."""
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_result(False)
