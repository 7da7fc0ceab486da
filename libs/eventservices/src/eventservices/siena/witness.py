"""A probe connection: reports what arrives at another access point."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from eventservices.ending import ended
from eventservices.errors import EventServiceError, MalformedError
from eventservices.natslink import NatsLink
from eventservices.siena.presence import Probe, decode

log = logging.getLogger(__name__)

RETRY_S = 1.0

Answered = Callable[[str, int], None]
"""Accepts the server's identifier and the probe's number."""


class Witness:
    """Answers probes at one server.

    Args:
        link: To that server alone; not opened yet.
        name: Identifier, as a connection has one.
        subject: Where probes for this connection are sent.
        answered: Called for each probe that arrived.
    """

    def __init__(self, link: NatsLink, name: str, subject: str, *, answered: Answered) -> None:
        self.name = name
        self._subject = subject
        self._answered = answered
        self._link = link
        self._opening: asyncio.Task[None] | None = None

    @property
    def server(self) -> str:
        """Identifier of its server while it is connected, else empty."""
        return self._link.server_id if self._link.connected else ""

    async def open(self, wait_s: float) -> None:
        """Connect; where that lasts longer than `wait_s` it goes on in the background."""
        self._opening = asyncio.create_task(self._open(), name="siena-witness")
        await asyncio.wait([self._opening], timeout=wait_s)

    async def close(self) -> None:
        """Disconnect."""
        await ended(self._opening)
        await self._link.close()

    async def _open(self) -> None:
        # Once open, the link mends itself; opened again, it would leave a connection behind.
        await _until_done(self._link.open)
        await _until_done(lambda: self._link.listen(self._subject, self._on_message))
        await _until_done(self._link.flush)

    def _on_message(self, _subject: str, payload: bytes, _headers: bytes, _reply: str) -> None:
        try:
            message = decode(payload)
        except MalformedError:
            return
        if isinstance(message, Probe):
            self._answered(self._link.server_id, message.number)


async def _until_done(step: Callable[[], Awaitable[object]]) -> None:
    while True:
        try:
            await step()
        except EventServiceError as error:
            log.info("witness_away", extra={"error": str(error)})
        except Exception:  # a probe connection that stopped here would answer no probe
            log.exception("witness_failed")
        else:
            return
        await asyncio.sleep(RETRY_S)
