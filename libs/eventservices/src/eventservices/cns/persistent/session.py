"""One connection to the broker's JetStream; it lives once and never reconnects."""

import asyncio
import contextlib
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

import nats.errors
import nats.js.errors

from eventservices.natsclient import NatsClient
from eventservices.natsconnecting import Servers
from eventservices.natsoptions import LinkOptions

if TYPE_CHECKING:
    from nats.js.client import JetStreamContext

log = logging.getLogger(__name__)

PING_INTERVAL_S = 2
PINGS_UNANSWERED = 2
CLOSE_TIMEOUT_S = 1.0

TROUBLE = (nats.errors.Error, OSError, TimeoutError)
"""What a lost connection, or one that is in doubt, makes of an operation."""


class Session:
    """Is connected until it breaks; then it is of no use any more.

    Args:
        client: Connected.
        timeout_s: Longest that a request lasts.

    Attributes:
        client: The NATS client.
        jetstream: For requests about streams and consumers.
        broken: Set when it is to be thrown away.
        reason: Why.
    """

    def __init__(self, client: NatsClient, timeout_s: float) -> None:
        self.client = client
        self.jetstream: JetStreamContext = client.jetstream(timeout=timeout_s)
        self.broken = asyncio.Event()
        self.reason = ""

    @classmethod
    async def open(cls, urls: Sequence[str], options: LinkOptions) -> "Session":
        """Connect.

        Raises:
            NotConnectedError: No server answered in time.
            RefusedError: A server refused the credentials, or a file is not what it should be.
        """
        servers = Servers.of(urls)
        client = NatsClient()
        session = cls(client, options.open_timeout_s)

        async def on_closed() -> None:
            session.fail("the connection was closed")

        async def on_error(error: Exception) -> None:
            log.info("nats_client_reported", extra={"error": repr(error)})

        proofs = await servers.proofs()
        try:
            async with asyncio.timeout(options.open_timeout_s):
                await client.connect(
                    servers=servers.urls,
                    name=f"{options.name}/store" if options.name else None,
                    error_cb=on_error,
                    closed_cb=on_closed,
                    connect_timeout=2,
                    allow_reconnect=False,
                    ping_interval=PING_INTERVAL_S,
                    max_outstanding_pings=PINGS_UNANSWERED,
                    dont_randomize=True,
                    user=servers.user,
                    password=servers.password,
                    **proofs,
                )
        except TROUBLE as error:
            reason = client.last_error or error
            client.abort()
            raise servers.fault(reason) from error
        except BaseException:
            client.abort()
            raise
        return session

    def fail(self, reason: str) -> None:
        """Throw the connection away, because it is lost or in doubt."""
        if not self.broken.is_set():
            self.reason = reason
            self.broken.set()

    async def close(self) -> None:
        """Disconnect."""
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self.client.close()
        except TROUBLE:
            log.info("nats_client_aborted")
        finally:
            self.client.abort()

    async def flush(self) -> None:
        """Return when the server has read what was sent, or cannot."""
        with contextlib.suppress(*TROUBLE):
            await self.client.flush(timeout=CLOSE_TIMEOUT_S)  # type: ignore[arg-type] # it accepts fractions of a second
