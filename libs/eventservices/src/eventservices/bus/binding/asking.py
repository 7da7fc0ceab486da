"""Questions over NATS, each with one answer or none in time."""

import asyncio
import itertools

from eventservices.errors import EventServiceError
from eventservices.natslink import NatsLink


class Asking:
    """Queries others over one connection.

    Args:
        link: Open.
    """

    def __init__(self, link: NatsLink) -> None:
        self._link = link
        self._inbox = ""
        self._numbers = itertools.count(1)
        self._waiting: dict[str, asyncio.Future[bytes]] = {}
        self._opening = asyncio.Lock()

    async def ask(self, subject: str, question: bytes, timeout_s: float) -> bytes | None:
        """Return the answer; None where none came in time, or the broker is away."""
        number = str(next(self._numbers))
        waiting: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting[number] = waiting
        try:
            async with asyncio.timeout(timeout_s):
                await self._open()
                await self._link.publish(
                    subject, question, reply=f"{self._inbox}.{number}", waits=False
                )
                # Where nobody listens, the broker answers itself, with nothing.
                return await waiting or None
        except (TimeoutError, EventServiceError):
            return None
        finally:
            del self._waiting[number]

    async def _open(self) -> None:
        async with self._opening:
            if not self._inbox:
                inbox = self._link.client.new_inbox()
                await self._link.listen(f"{inbox}.*", self._receive)
                self._inbox = inbox

    def _receive(self, subject: str, payload: bytes, headers: bytes, reply: str) -> None:
        del headers, reply
        waiting = self._waiting.get(subject.rpartition(".")[2])
        if waiting is not None and not waiting.done():
            waiting.set_result(payload)
