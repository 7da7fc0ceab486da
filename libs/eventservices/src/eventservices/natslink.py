"""A connection to a NATS broker that proves itself, and is rebuilt when it receives nothing.

`nats-py` may report *connected* and receive nothing. So a link sends itself a message every few
seconds; when that, or a flush, is not answered, it closes the client and opens another one with
all subscriptions restored. The messages of that moment are lost, as best effort allows.
A subscription that the server refuses is requested again with each proof, which fails meanwhile.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Self

import nats.errors

from eventservices.backoff import Backoff
from eventservices.ending import ended
from eventservices.errors import BehindError, NotConnectedError, RefusedError, TooLargeError
from eventservices.lasting import lasting
from eventservices.lifetime import Opening
from eventservices.natsclient import Handler, NatsClient
from eventservices.natsconnecting import Callbacks, Servers, close, connect
from eventservices.natslistening import Listening
from eventservices.natsoptions import LinkCounters, LinkOptions
from eventservices.natsoutage import Outage
from eventservices.natsproof import Proofs

__all__ = ["LinkCounters", "LinkOptions", "Listening", "NatsLink"]

log = logging.getLogger(__name__)

BACKOFF_S = (0.1, 2.0)
STEADY_S = 5.0
MISSED_PROBES = 3
_HEADER_OVERHEAD_BYTES = 16  # "NATS/1.0\r\n", the final "\r\n" and some


class NatsLink(Opening):
    """One connection to one of several equal NATS servers.

    Args:
        urls: Addresses, tried in order; no server that a broker names is used. The name and the
            password that the first of them carries, if any, are for all.
        options: See `LinkOptions`.
        prefers: Returns host and port of the server that is tried first; empty where any will do.

    Attributes:
        counters: What happened.
        on_connected: Called (plain functions, from the event loop) after every connection but the
            first, when all subscriptions are restored at the server then connected to.
    """

    def __init__(
        self,
        urls: Sequence[str],
        options: LinkOptions | None = None,
        *,
        prefers: Callable[[], str] = str,
    ) -> None:
        if not urls:
            raise NotConnectedError("an address of a NATS server is missing")
        self._servers = Servers.of(urls)
        self.urls = self._servers.urls
        self.options = options or LinkOptions()
        self.counters = LinkCounters()
        self.on_connected: list[Callable[[], None]] = []
        self._client: NatsClient | None = None
        self._listenings: dict[Listening, None] = {}
        self._inbox = ""
        self._proofs = Proofs(self._to_myself, self._ask_again, self.options.probe_timeout_s)
        self._backoff = Backoff(*BACKOFF_S, STEADY_S)
        self._handler_errors_before = 0
        self._rebuilding: asyncio.Task[None] | None = None
        self._watchdog: asyncio.Task[None] | None = None
        self._closed = False
        self._prefers = prefers
        self._outage = Outage()
        self._events = self._apart(urls) if self.options.apart else None

    def to(self, url: str, options: LinkOptions | None = None) -> "NatsLink":
        """Return a link, not opened yet, to one server alone, as the same user.

        Args:
            url: Address of the server, without a name or a password.
            options: As of a link.
        """
        return NatsLink([self._servers.url(url)], options)

    @property
    def client(self) -> NatsClient:
        """The present client, e.g. for JetStream; another one after each rebuild.

        Raises:
            NotConnectedError: The link is not open.
        """
        if self._client is None or self._closed:
            raise NotConnectedError("not connected to a NATS server")
        return self._client

    @property
    def connected(self) -> bool:
        """Whether the client reports that it is connected; only `probe` proves it."""
        return self._client is not None and self._client.is_connected and not self._closed

    @property
    def server_id(self) -> str:
        """Identifier of the server connected to; empty before the first."""
        return self._client.server_id if self._client else ""

    @property
    def url(self) -> str:
        """Address of the server connected to; empty where there is none."""
        found = self._client.connected_url if self._client else None
        return f"{found.scheme}://{found.hostname}:{found.port}" if found else ""

    @property
    def place(self) -> str:
        """Host and port of the server connected to; empty where there is none."""
        return self._client.place if self._client else ""

    @property
    def max_payload_bytes(self) -> int:
        """Largest message, header and payload, that the server accepts."""
        return self.client.max_payload

    @property
    def jetstream(self) -> bool:
        """Whether the server connected to last keeps streams."""
        return self._client is not None and self._client.keeps_streams

    @property
    def handler_errors(self) -> int:
        """Messages whose handler raised."""
        return self._handler_errors_before + (self._client.handler_errors if self._client else 0)

    async def open(self) -> Self:
        """Connect.

        Raises:
            NotConnectedError: No server answered in time.
            RefusedError: A server refused the credentials.
        """
        self._client = await self._connect()
        if self._events is not None:
            try:
                await self._events.open()
            except BaseException:
                await close(self._client)
                raise
        self._inbox = self._client.new_inbox()
        await self.listen(self._inbox, self._proofs.probes.hear)
        if self.options.probe_interval_s > 0:
            watching = lasting(self._watch)
            self._watchdog = asyncio.create_task(watching, name="nats-link-watchdog")
        return self

    async def close(self) -> None:
        """Disconnect; what was published before is sent, as long as the server reads."""
        if self._closed:
            return
        self._closed = True
        self._outage.end()
        await ended(self._watchdog, self._rebuilding)
        await self._proofs.stop()
        if self._events is not None:
            await self._events.close()
        if self._client is not None:
            await close(self._client)

    async def listen(self, subject: str, handler: Handler, queue: str = "") -> Listening:
        """Subscribe natively.

        Args:
            subject: NATS subject, wildcards allowed.
            handler: Called from the read loop; it must be quick and must not block.
            queue: Name of a queue group; empty for none.

        Returns:
            What `mute` accepts. The server has it after the next `flush`.

        Raises:
            NotConnectedError: The link is closed or being rebuilt.
        """
        listening = Listening(subject, handler, queue)
        try:
            await listening.begin(self.client)
        except nats.errors.Error as error:
            raise NotConnectedError(f"cannot subscribe: {error!r}") from error
        self._listenings[listening] = None
        return listening

    async def mute(self, listening: Listening) -> None:
        """End a native subscription; harmless where it has ended."""
        if listening in self._listenings:
            del self._listenings[listening]
            await listening.end()

    async def finish(self, listenings: Sequence[Listening]) -> None:
        """End native subscriptions; return when nothing more comes by them.

        Until then their handlers are called for what the server sent before.

        Raises:
            NotConnectedError: As `flush`; they have ended all the same.
        """
        ending = [each for each in listenings if self._listenings.pop(each, self) is None]
        try:
            for listening in ending:
                await listening.stop()
            await self.flush()
        finally:
            for listening in ending:
                await listening.end()

    async def publish(
        self,
        subject: str,
        payload: bytes,
        headers: Mapping[str, str] | None = None,
        reply: str = "",
        *,
        waits: bool = True,
    ) -> None:
        """Send a message; while the broker does not read, it waits in a bounded buffer.

        Args:
            subject: NATS subject.
            payload: The message.
            headers: Header lines.
            reply: Subject for answers.
            waits: Whether it may wait in the buffer while the broker is away, too. What waits there
                is lost, and counted, where the client is replaced; an event is refused instead,
                once the broker has been away for a moment.

        Raises:
            TooLargeError: Header and payload exceed what the server accepts; nothing was sent.
            NotConnectedError: The link is closed, being rebuilt, or the buffer is full; or the
                broker is away, and the message does not wait.
        """
        client = self.client
        if not waits and self._events is not None:
            await self._events.publish(subject, payload, headers, reply, waits=False)
            return
        if not waits and not client.is_connected:
            await self._outage.wait()
            client = self.client
            if not client.is_connected:
                self.counters.refused += 1
                raise NotConnectedError("the NATS server is away")
        size = len(payload)
        if headers:
            size += _HEADER_OVERHEAD_BYTES
            for key, value in headers.items():
                size += len(key) + len(value) + 4
        if size > client.max_payload:
            raise TooLargeError(size, client.max_payload)
        if not await client.has_room():
            self.counters.refused += 1
            raise NotConnectedError("the NATS server does not read what is sent to it")
        try:
            await client.publish(subject, payload, reply, headers)  # type: ignore[arg-type] # nats-py only reads it
        except nats.errors.Error as error:
            self.counters.refused += 1
            raise NotConnectedError(f"the NATS server is away: {error!r}") from error
        except (OSError, RuntimeError) as error:
            # Its transport was closed just now: it is in the buffer, and sent with the next one.
            log.info("nats_not_written_yet", extra={"urls": self.urls, "error": repr(error)})

    async def flush(self) -> None:
        """Return when the server has processed all that was sent to it before.

        It is a round trip: the client's own flush returns at once where its read loop has ended.

        Raises:
            NotConnectedError: It did not answer in time; the client is then replaced, unless the
                answer waits behind other messages.
        """
        await self._round_trip()

    async def probe(self, *, shared: bool = False) -> float:
        """Prove that messages are received: publish one to oneself, and wait for it.

        What was published before is then received, too. What the server refused is requested again
        before.

        Args:
            shared: Whether a proof of a moment ago, or one that somebody else waits for, will do:
                it shows that the server answers, and nothing of what was published since.

        Returns:
            The round trip in seconds.

        Raises:
            NotConnectedError: It was not received in time; the client is then replaced, unless it
                waits behind other messages.
            RefusedError: The server refuses a subscription.
        """
        return await self._proofs.probe(self._round_trip, shared=shared)

    async def _to_myself(self, token: bytes) -> None:
        await self.publish(self._inbox, token)

    async def _ask_again(self, refused: Collection[str]) -> None:
        for listening in [each for each in self._listenings if each.subject in refused]:
            try:
                await listening.end()
                await listening.begin(self.client)
            except nats.errors.Error as error:
                raise NotConnectedError(f"cannot subscribe: {error!r}") from error

    async def _round_trip(self) -> float:
        if self._events is not None:  # so that what was published before is received before it
            await self._events.flush()
        client = self.client
        try:
            return await self._proofs.round_trip(client)
        except BehindError:
            self.counters.behind += 1
            raise
        except TimeoutError:
            self._suspect(client)
            raise NotConnectedError("a message to oneself was not received in time") from None

    async def _watch(self) -> None:
        missed = 0
        while True:
            await asyncio.sleep(self.options.probe_interval_s)
            try:
                await self.probe(shared=True)
            except BehindError as error:
                missed = 0  # a new client would lose what waits, and what is published meanwhile
                log.warning("nats_client_behind", extra={"urls": self.urls, "error": str(error)})
            except NotConnectedError:
                missed += 1
            except RefusedError as error:
                missed = 0
                log.warning("nats_subscription_refused", extra={"error": str(error)})
            else:
                missed = 0
            if missed >= MISSED_PROBES and self._client is not None:
                missed = 0
                self._rebuild(self._client)

    def _suspect(self, client: NatsClient) -> None:
        if not client.is_reconnecting:  # it knows that it is deaf, and is mending that
            self._rebuild(client)

    def _rebuild(self, client: NatsClient) -> None:
        busy = self._rebuilding is not None and not self._rebuilding.done()
        if client is self._client and not busy and not self._closed:
            replacing = lasting(lambda: self._replace(client))
            self._rebuilding = asyncio.create_task(replacing, name="nats-link-rebuild")

    async def _replace(self, old: NatsClient) -> None:
        lost = old.unsent
        self.counters.lost += lost
        log.warning("nats_client_replaced", extra={"urls": self.urls, "lost": lost})
        await close(old)
        self._handler_errors_before += old.handler_errors
        old.handler_errors = 0
        while True:
            await asyncio.sleep(self._backoff.pause_s())
            try:
                fresh = await self._connect()
                await self._restore(fresh)
                break
            except (NotConnectedError, RefusedError) as error:
                log.warning("nats_server_away", extra={"error": str(error)})
        self._client = fresh
        self.counters.rebuilds += 1
        self._tell_connected()

    async def _restore(self, fresh: NatsClient) -> None:
        try:
            for listening in list(self._listenings):
                await listening.begin(fresh)
                if listening not in self._listenings:  # muted while it was restored
                    await listening.end()
        except nats.errors.Error as error:
            await close(fresh)
            raise NotConnectedError(f"subscriptions were not restored: {error!r}") from error
        except BaseException:
            await close(fresh)
            raise

    async def _connect(self) -> NatsClient:
        callbacks = Callbacks(self._on_error, self._on_closed, self._on_reconnected)
        return await connect(self._servers, self.options, self._backoff, callbacks, self._preferred)

    def _preferred(self) -> str:
        return self._prefers() if self._events is None else self._events.place

    def _apart(self, urls: Sequence[str]) -> "NatsLink":
        """Return the link for events.

        It goes to the same server, so that what both send arrives in its order.
        """
        options = replace(self.options, name=f"{self.options.name}/events", apart=False)
        events = NatsLink(urls, options, prefers=lambda: self.place)
        events.counters = self.counters
        return events

    async def _on_error(self, error: Exception) -> None:
        self.counters.errors += 1
        self._proofs.refusals.hear(error, [listening.subject for listening in self._listenings])
        log.info("nats_client_reported", extra={"error": repr(error)})

    async def _on_closed(self) -> None:
        client = self._client
        if client is not None and client.is_closed:
            self._rebuild(client)

    async def _on_reconnected(self) -> None:
        self.counters.reconnects += 1
        self._tell_connected()

    def _tell_connected(self) -> None:
        self._outage.end()
        for callback in self.on_connected:
            try:
                callback()
            except Exception:
                log.exception("callback_failed")  # `nats-py` would reconnect no more
