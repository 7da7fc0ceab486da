"""Rings whenever the stream has a new message, over reconnections and lost servers."""

import asyncio
import logging
import time
from collections.abc import Callable

from eventservices.errors import NotConnectedError, RefusedError
from fes.errors import StoreError
from nats.js import api

from fes_gateway.store.jetstream.stream import TROUBLE, Stream

log = logging.getLogger(__name__)

HEARTBEAT_S = 1.0
SILENCE_S = 2.5
AGAIN_S = 0.2


class Watching:
    """Makes the servers notify of new messages, while `serve` runs.

    Args:
        stream: The stream.
        ring: Called from the event loop, with each message, and whenever one may have been missed.

    Attributes:
        renewed: How often the subscription was renewed.
    """

    def __init__(self, stream: Stream, ring: Callable[[], None]) -> None:
        self.renewed = 0
        self._stream = stream
        self._ring = ring
        self._again = asyncio.Event()
        self._heard_s = 0.0

    async def serve(self) -> None:
        """Watch until cancelled."""
        self._stream.link.on_connected.append(self._again.set)
        while True:
            try:
                await self._watch_once()
            except (StoreError, RefusedError, *TROUBLE) as error:
                log.info("journal_not_watched", extra={"error": repr(error)})
            self.renewed += 1
            await asyncio.sleep(AGAIN_S)

    async def _watch_once(self) -> None:
        context = await self._stream.jetstream()
        link = self._stream.link
        self._again.clear()
        inbox = link.client.new_inbox()
        listening = await link.listen(inbox, self._on_message)
        try:
            await context.add_consumer(
                self._stream.settings.name,
                api.ConsumerConfig(
                    deliver_subject=inbox,
                    deliver_policy=api.DeliverPolicy.NEW,
                    ack_policy=api.AckPolicy.NONE,
                    headers_only=True,
                    idle_heartbeat=HEARTBEAT_S,
                    mem_storage=True,
                    num_replicas=1,
                ),
            )
            self._ring()  # for what was stored before
            self._heard_s = time.monotonic()
            await self._until_silent()
        finally:
            try:
                await link.mute(listening)  # the server deletes a consumer without a subscription
            except NotConnectedError:
                log.info("journal_watch_lost")

    async def _until_silent(self) -> None:
        while not self._again.is_set() and time.monotonic() - self._heard_s < SILENCE_S:
            try:
                async with asyncio.timeout(HEARTBEAT_S):
                    await self._again.wait()
            except TimeoutError:
                continue

    def _on_message(self, _subject: str, _payload: bytes, headers: bytes, _reply: str) -> None:
        self._heard_s = time.monotonic()
        if not headers.startswith(b"NATS/1.0 100"):
            self._ring()
