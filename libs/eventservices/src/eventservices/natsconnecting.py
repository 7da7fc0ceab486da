"""Opening and closing of NATS clients, with the options that a link needs."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import nats.errors

from eventservices.addresses import split_url
from eventservices.backoff import Backoff
from eventservices.credentials import read_password, with_credentials, without_credentials
from eventservices.ending import cancellable
from eventservices.errors import MalformedError, NotConnectedError, RefusedError
from eventservices.natsclient import NatsClient
from eventservices.natscredentials import read_credentials
from eventservices.natsoptions import LinkOptions
from eventservices.secure import (
    Access,
    client_context,
    handshake_fault,
    one_access,
    split_access,
    with_access,
)
from eventservices.secure.access import OPEN

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
        access: Files that gain access to all of them.
    """

    urls: list[str]
    user: str | None
    password: str | None
    access: Access = OPEN

    @staticmethod
    def of(urls: Sequence[str]) -> "Servers":
        """Return the servers of some addresses; the first that carries credentials is for all.

        Raises:
            MalformedError: One is not an address.
        """
        told = [_bare(url) for url in urls]
        user, password = next(((one[1], one[2]) for one in told if one[1]), (None, None))
        access = one_access(one[3] for one in told)
        return Servers([one[0] for one in told], user, password, access)

    def url(self, bare: str) -> str:
        """Return an address with the credentials in it."""
        return with_access(
            with_credentials(bare, self.user or "", self.password or ""), self.access
        )

    @property
    def shown(self) -> str:
        """The addresses, as people read them."""
        return ", ".join(self.urls)

    async def proofs(self) -> dict[str, Any]:
        """Return the options of the client that files specify, as these are now.

        Raises:
            RefusedError: A file cannot be read, or is not what it should be.
        """
        access, found = self.access, dict[str, Any]()
        if any(url.startswith("tls://") for url in self.urls):
            found["tls"] = await client_context(access)
        if access.token_file:
            path = Path(access.token_file)
            found["token"] = await asyncio.to_thread(read_password, path, "token_file")
        if access.credentials_file:
            found |= await asyncio.to_thread(read_credentials, Path(access.credentials_file))
        return found

    def fault(self, error: BaseException) -> NotConnectedError | RefusedError:
        """Return why no connection was made, in one line."""
        secure = self.urls[0].startswith("tls://")
        found = handshake_fault(error, self.shown, self.access.ca_file, secure=secure)
        if found:
            return NotConnectedError(found)
        if "authorization" in str(error).lower():
            return RefusedError(f"{self.shown}: {error}")
        return NotConnectedError(f"no answer from {self.shown}: {error!r}")


def _bare(url: str) -> tuple[str, str | None, str | None, Access]:
    """Return an address without its credentials, and these."""
    try:
        bare, access = split_access(url, own=("credentials_file", "token_file"))
        found = without_credentials(bare)
        parts = split_url(found[0] if "://" in found[0] else f"nats://{found[0]}")
        valid = bool(parts.hostname)
    except MalformedError:
        raise
    except ValueError:  # its text may have the password
        valid = False
    if not valid:
        shown = url.rpartition("@")[2][:200]
        raise MalformedError(f"{shown!r} is not the address of a server: nats://host:port")
    return (*found, access)


class Callbacks(NamedTuple):
    """What is called when something happens to a client."""

    error: Callable[[Exception], Awaitable[None]]
    closed: Callable[[], Awaitable[None]]
    reconnected: Callable[[], Awaitable[None]]


async def connect(
    servers: Servers,
    options: LinkOptions,
    backoff: Backoff,
    callbacks: Callbacks,
    prefers: Callable[[], str],
) -> NatsClient:
    """Return a client that is connected to one of some servers.

    Args:
        servers: Which ones.
        options: Of the link.
        backoff: Returns the pauses between a loss and the next attempt.
        callbacks: What is called when something happens to the client.
        prefers: Returns host and port of the server that is tried first; empty where any will do.

    Raises:
        NotConnectedError: No server answered in time, or no handshake succeeded.
        RefusedError: A server refused the credentials, or a file is not what it should be.
    """
    client = NatsClient(backoff, servers.proofs, prefers)
    proofs = await servers.proofs()
    try:
        async with asyncio.timeout(options.open_timeout_s):
            await cancellable(
                client.connect(
                    servers=servers.urls,
                    name=options.name or None,
                    error_cb=callbacks.error,
                    closed_cb=callbacks.closed,
                    reconnected_cb=callbacks.reconnected,
                    connect_timeout=2,
                    reconnect_time_wait=RECONNECT_WAIT_S,  # type: ignore[arg-type] # it accepts fractions of a second
                    max_reconnect_attempts=-1,
                    ping_interval=PING_INTERVAL_S,
                    max_outstanding_pings=PINGS_UNANSWERED,
                    dont_randomize=True,
                    pending_size=options.pending_bytes,
                    flush_timeout=options.probe_timeout_s,
                    user=servers.user,
                    password=servers.password,
                    **proofs,
                )
            )
    except (TimeoutError, OSError, nats.errors.Error) as error:
        reason = client.last_error or error
        await close(client)
        raise servers.fault(reason) from error
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
