"""A `nats-py` client with its known traps mended and a direct path for messages.

`nats-py` passes each message to a queue and a task; here a message goes straight from the read loop
to a plain function, which costs a third and keeps back-pressure on the socket.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import nats.aio.client
import nats.aio.subscription
import nats.errors

from eventservices.backoff import Backoff
from eventservices.errors import RefusedError
from eventservices.slices import shared_slice

log = logging.getLogger(__name__)

FAILURES = 2
"""Attempts after which a server is no longer preferred."""

Handler = Callable[[str, bytes, bytes, str], None]
"""Called with a message's subject, payload, header block (empty for none) and reply subject."""


class NatsClient(nats.aio.client.Client):
    """Connects to one NATS server at a time, and only to the configured ones.

    Args:
        backoff: Returns the pauses between a loss and the next attempt; no pause where None.
        proofs: Returns `tls`, `token`, `user_jwt_cb` and `signature_cb`, as files specify them now;
            called before each connection that follows a loss.
        prefers: Returns host and port of the server that is tried first, unless it fails; empty
            where any will do.

    Attributes:
        handler_errors: Messages whose handler raised; each is logged, none ends the read loop.
        ignored_servers: Servers that a broker named and that are not used.
        heard: Messages that arrived.
    """

    def __init__(
        self,
        backoff: Backoff | None = None,
        proofs: Callable[[], Awaitable[Mapping[str, Any]]] | None = None,
        prefers: Callable[[], str] | None = None,
    ) -> None:
        super().__init__()
        self._backoff = backoff
        self._prefers = prefers
        self._proofs = proofs
        self.handler_errors = 0
        self.ignored_servers = 0
        self.heard = 0
        self._handlers: dict[int, Handler] = {}

    @property
    def server_id(self) -> str:
        """Identifier of the server that this client is, or was last, connected to."""
        return str(self._server_info.get("server_id", ""))

    @property
    def place(self) -> str:
        """Host and port of the server connected to; empty where there is none."""
        found = self.connected_url
        return f"{found.hostname}:{found.port}" if found else ""

    @property
    def keeps_streams(self) -> bool:
        """Whether that server offers JetStream."""
        return bool(self._server_info.get("jetstream"))

    async def listen(
        self, subject: str, handler: Handler, queue: str = ""
    ) -> nats.aio.subscription.Subscription:
        """Subscribe, and have `handler` called from the read loop for every message."""
        sid = self._sid + 1  # the next one that `subscribe` uses, before it first suspends
        self._handlers[sid] = handler
        try:
            return await self.subscribe(subject, queue=queue)
        except BaseException:
            self._handlers.pop(sid, None)
            raise

    def forget(self, subscription: nats.aio.subscription.Subscription) -> None:
        """Call the handler of a subscription no more."""
        self._handlers.pop(subscription._id, None)  # noqa: SLF001 - the key of the read loop

    def abort(self) -> None:
        """Break the connection at once, without waiting for a server that does not read."""
        writer = getattr(self._transport, "_io_writer", None)
        if writer is not None:
            writer.transport.abort()

    @property
    def unsent(self) -> int:
        """Publications that wait to be written to the server."""
        return sum(piece.startswith((b"PUB ", b"HPUB ")) for piece in self._pending)

    async def has_room(self) -> bool:
        """Return whether there is room for more to be sent.

        Where there is none it first waits for the server to read, at most as long as a flush may
        last: while it is connected `nats-py` goes on accepting publications that nobody reads.
        """
        if self._pending_data_size <= self._max_pending_size:
            return True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._flush_timeout):
                await self._flush_pending(force_flush=True)
        return self._pending_data_size <= self._max_pending_size

    async def _process_msg(
        self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes
    ) -> None:
        self.heard += 1
        self._pings_outstanding = 0  # it speaks; what answers the ping waits behind this
        own = shared_slice()
        await own.turn()
        handler = self._handlers.get(sid)
        if handler is None:
            await super()._process_msg(sid, subject, reply, data, headers)
            return
        self.stats["in_msgs"] += 1
        self.stats["in_bytes"] += len(data)
        try:
            handler(
                subject.decode("utf-8", "replace"),
                data,
                headers or b"",
                reply.decode("utf-8", "replace"),
            )
        except Exception:
            self.handler_errors += 1
            log.exception("handler_failed", extra={"subject": subject[:200]})
        own.end()

    async def _select_next_server(self) -> None:
        # `nats-py` waits as long each time, however often a connection was ended at once.
        if self._backoff is not None and self.is_reconnecting:
            await asyncio.sleep(self._backoff.pause_s())
        if self._proofs is not None and self.is_reconnecting:
            await self._prove_again(self._proofs)
        first = self._prefers() if self._prefers is not None else ""
        if first:
            self._server_pool.sort(key=lambda server: _is_later(server, first))
        await super()._select_next_server()

    async def _prove_again(self, proofs: Callable[[], Awaitable[Mapping[str, Any]]]) -> None:
        """Use what files contain now; what they contained before where they cannot be read."""
        try:
            found = await proofs()
        except RefusedError as error:
            log.warning("nats_files_not_read", extra={"error": str(error)})
            return
        self.options.update({name: found[name] for name in ("tls", "token") if name in found})
        self._user_jwt_cb = found.get("user_jwt_cb", self._user_jwt_cb)
        self._signature_cb = found.get("signature_cb", self._signature_cb)

    async def _process_pong(self) -> None:
        # A flush that was abandoned leaves a finished future; setting it again would end the read
        # loop.
        if self._pongs and self._pongs[0].done():
            self._pongs[0] = self._pongs[0].get_loop().create_future()
        await super()._process_pong()

    async def _process_info(self, info: dict[str, Any], initial_connection: bool = False) -> None:  # noqa: FBT001, FBT002 - nats-py's own signature
        is_secure = self._current_server is not None and self._current_server.uri.scheme == "tls"
        if initial_connection and is_secure and not info.get("tls_required"):
            # `nats-py` would go on in the clear, and send the password so.
            if not info.get("tls_available"):
                raise nats.errors.Error("the server does not offer TLS: write nats://, not tls://")
            info = {**info, "tls_required": True}
            self._server_info["tls_required"] = True
        if info.get("connect_urls"):
            self.ignored_servers += len(info["connect_urls"])
            info = {key: value for key, value in info.items() if key != "connect_urls"}
        await super()._process_info(info, initial_connection)


def _is_later(server: nats.aio.client.Srv, first: str) -> bool:
    """Return whether a server is tried after the one that is preferred."""
    return server.reconnects > FAILURES or f"{server.uri.hostname}:{server.uri.port}" != first
