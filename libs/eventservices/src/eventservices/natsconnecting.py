"""Opening and closing of NATS clients, with the options that a link needs."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

import nats.errors

from eventservices.addresses import split_url
from eventservices.backoff import Backoff
from eventservices.credentials import with_credentials, without_credentials
from eventservices.errors import MalformedError, NotConnectedError, RefusedError
from eventservices.natsclient import NatsClient
from eventservices.natsoptions import LinkOptions

log = logging.getLogger(__name__)

PING_INTERVAL_S = 2
PINGS_UNANSWERED = 2
RECONNECT_WAIT_S = 0.2
CLOSE_TIMEOUT_S = 1.0


class Servers(NamedTuple):
    """Equal servers, and as whom they are spoken to.

    Attributes:
        urls: Without credentials, tried in order.
        user, password: For all of them; None where there are none.
    """

    urls: list[str]
    user: str | None
    password: str | None

    @staticmethod
    def of(urls: Sequence[str]) -> "Servers":
        """Return the servers of some addresses; the first that carries credentials is for all.

        Raises:
            MalformedError: One is not an address.
        """
        told = [_bare(url) for url in urls]
        user, password = next(((one[1], one[2]) for one in told if one[1]), (None, None))
        return Servers([bare for bare, _, _ in told], user, password)

    def url(self, bare: str) -> str:
        """Return an address with the credentials in it."""
        return with_credentials(bare, self.user or "", self.password or "")


def _bare(url: str) -> tuple[str, str | None, str | None]:
    """Return an address without its credentials, and these."""
    try:
        found = without_credentials(url)
        parts = split_url(found[0] if "://" in found[0] else f"nats://{found[0]}")
        valid = bool(parts.hostname)
    except ValueError:  # its text may have the password
        valid = False
    if not valid:
        shown = url.rpartition("@")[2][:200]
        raise MalformedError(f"{shown!r} is not the address of a server: nats://host:port")
    return found


class Callbacks(NamedTuple):
    """What is called when something happens to a client."""

    error: Callable[[Exception], Awaitable[None]]
    closed: Callable[[], Awaitable[None]]
    reconnected: Callable[[], Awaitable[None]]


async def connect(
    servers: Servers, options: LinkOptions, backoff: Backoff, callbacks: Callbacks
) -> NatsClient:
    """Return a client that is connected to one of some servers.

    Raises:
        NotConnectedError: No server answered in time.
        RefusedError: A server refused the credentials.
    """
    client = NatsClient(backoff)
    try:
        async with asyncio.timeout(options.open_timeout_s):
            await client.connect(
                servers=servers.urls,
                name=options.name or None,
                error_cb=callbacks.error,
                closed_cb=callbacks.closed,
                reconnected_cb=callbacks.reconnected,
                connect_timeout=2,
                reconnect_time_wait=RECONNECT_WAIT_S,  # type: ignore[arg-type] # or fractions
                max_reconnect_attempts=-1,
                ping_interval=PING_INTERVAL_S,
                max_outstanding_pings=PINGS_UNANSWERED,
                dont_randomize=True,
                pending_size=options.pending_bytes,
                flush_timeout=options.probe_timeout_s,
                tls=options.tls,
                user=servers.user,
                password=servers.password,
            )
    except (TimeoutError, OSError, nats.errors.Error) as error:
        reason = client.last_error or error
        await close(client)
        told = ", ".join(servers.urls)
        if "authorization" in str(reason).lower():
            raise RefusedError(f"{told}: {reason}") from error
        raise NotConnectedError(f"no answer from {told}: {reason!r}") from error
    except BaseException:
        client.abort()
        raise
    return client


async def close(client: NatsClient) -> None:
    """Close a client, within a moment and whatever the server does."""
    try:
        async with asyncio.timeout(CLOSE_TIMEOUT_S):
            await client.close()
    except (TimeoutError, OSError, nats.errors.Error):
        log.info("nats_client_aborted")
    finally:
        client.abort()
