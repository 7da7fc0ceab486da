"""The connection over which a link publishes events, apart from the one over which it receives.

A server ends a connection that is behind with what it receives, at a time that nobody foresees:
what is published over it just then is lost, and nobody notices.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Final

import nats.errors

from eventservices.attention import attentively
from eventservices.backoff import Backoff
from eventservices.ending import cancellable, ended
from eventservices.errors import NotConnectedError, RefusedError
from eventservices.lasting import lasting
from eventservices.natsclient import NatsClient
from eventservices.natsconnecting import Callbacks, close
from eventservices.natsoptions import LinkCounters

log = logging.getLogger(__name__)

RETURN_S: Final = 2.0
"""How long an event waits for a connection that was lost."""


FOREVER_S: Final = 3600
"""A wait that something else ends."""


class Outage:
    """The time in which a connection is missed."""

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


class Sender:
    """A client that publishes and receives nothing, replaced where it was closed for good.

    Args:
        connect: Returns a client that is connected.
        backoff: Returns the pauses between attempts to replace it.
        on_error: Called with what a client reports.
        counters: Of the link.

    Attributes:
        outage: The time in which the connection is missed.
    """

    def __init__(
        self,
        connect: Callable[[Callbacks], Awaitable[NatsClient]],
        backoff: Backoff,
        on_error: Callable[[Exception], Awaitable[None]],
        counters: LinkCounters,
    ) -> None:
        self.outage = Outage()
        self._connect = connect
        self._backoff = backoff
        self._counters = counters
        self._callbacks = Callbacks(on_error, self._on_closed, self._on_reconnected)
        self._client: NatsClient | None = None
        self._replacing: asyncio.Task[None] | None = None
        self._closed = False

    @property
    def client(self) -> NatsClient:
        """The present client.

        Raises:
            NotConnectedError: It is not open.
        """
        if self._client is None or self._closed:
            raise NotConnectedError("not connected to a NATS server")
        return self._client

    @property
    def connected(self) -> bool:
        """Whether the client reports that it is connected."""
        return self._client is not None and self._client.is_connected

    @property
    def place(self) -> str:
        """Host and port of the server connected to; empty where there is none."""
        return self._client.place if self._client is not None else ""

    async def open(self) -> None:
        """Connect.

        Raises:
            NotConnectedError: No server answered in time.
            RefusedError: A server refused the credentials.
        """
        self._client = await self._connect(self._callbacks)

    async def flush(self, timeout_s: float) -> None:
        """Return when the server has processed what was published.

        A connection on which nothing but its answer can come, and that does not, is dead.

        Args:
            timeout_s: Longest wait for its answer, seconds in which the loop turns.

        Raises:
            NotConnectedError: It did not answer in time, or is away.
        """
        client = self.client
        connection = client.connection
        try:
            await attentively(cancellable(client.flush(FOREVER_S)), timeout_s)
        except TimeoutError as error:
            if client.is_connected and client.connection is connection:
                client.abort()
            raise NotConnectedError("the NATS server does not answer") from error
        except (nats.errors.Error, OSError, RuntimeError) as error:
            raise NotConnectedError(f"events cannot be published: {error!r}") from error

    async def close(self) -> None:
        """Disconnect; what was published before is sent, as long as the server reads."""
        self._closed = True
        self.outage.end()
        await ended(self._replacing)
        if self._client is not None:
            await close(self._client)

    async def _on_closed(self) -> None:
        client = self._client
        busy = self._replacing is not None and not self._replacing.done()
        if client is not None and client.is_closed and not busy and not self._closed:
            replacing = lasting(lambda: self._replace(client))
            self._replacing = asyncio.create_task(replacing, name="nats-sender-rebuild")

    async def _on_reconnected(self) -> None:
        self.outage.end()

    async def _replace(self, old: NatsClient) -> None:
        self._counters.lost += old.unsent
        while True:
            await asyncio.sleep(self._backoff.pause_s())
            try:
                self._client = await self._connect(self._callbacks)
                break
            except (NotConnectedError, RefusedError) as error:
                log.warning("nats_server_away", extra={"error": str(error)})
        self._counters.rebuilds += 1
        self.outage.end()
