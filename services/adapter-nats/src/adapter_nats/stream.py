"""JetStream: messages of a stream, fetched by a durable consumer, acknowledged after the commit."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import nats.errors
import nats.js.errors
from eventservices.ending import ended
from eventservices.errors import EventServiceError, NotConnectedError, RefusedError
from eventservices.natslink import NatsLink
from eventservices.stamp import Stamp
from fes.adapter.inbound.acknowledgements import Answer
from fes.adapter.inbound.ordered import OrderedDelivery
from fes.adapter.plain.wanted import Wanted

from adapter_nats.codec import NatsMessage
from adapter_nats.consumer import MOST, Consumer

if TYPE_CHECKING:
    from nats.aio.msg import Msg
    from nats.js.client import JetStreamContext

FETCH_S: Final = 1.0
"""How long a request for messages waits at the server."""

BATCH: Final = 32
"""Most messages of one request: 32 MiB of the largest that a server accepts by default."""

DUPLICATE_WINDOW_S: Final = 120.0
"""For how long a server by default recognises a repeated `Nats-Msg-Id`."""

RESTART_S: Final = 1.0

CLOSE_S: Final = 1.0
"""Longest time for a stream to close."""

_TROUBLE = (nats.errors.Error, OSError, EventServiceError)
_log = logging.getLogger(__name__)


class Stream(Wanted[str]):
    """One stream, seen by one adapter.

    A message without a stamp gets one that follows from its number in the stream, so that it has
    the same identity however often it is delivered, to any adapter.

    Args:
        link: The connection.
        name: Name of the stream.
        durable: What the name of its consumer follows from; the same after a restart.
        home: Event service identifier.
        receive: Accepts a message, and the function that answers it.
    """

    def __init__(
        self,
        link: NatsLink,
        name: str,
        durable: str,
        home: str,
        receive: Callable[[NatsMessage, Answer], None],
    ) -> None:
        super().__init__()
        self.failure = ""
        self.redelivered = 0
        self.restarts = 0
        self._link = link
        self._name = name
        self._consumer = Consumer(link, name, durable)
        self._home = home
        self._epoch = 0
        self._delivered = 0
        self._delivery = OrderedDelivery(receive, self._acknowledge, MOST)
        self._native: dict[int, Msg] = {}
        self._acks: asyncio.Queue[Msg] = asyncio.Queue(MOST)
        self._tasks: list[asyncio.Task[None]] = []

    def __len__(self) -> int:
        """Return how many messages the gateway has not answered."""
        return len(self._delivery)

    def counters(self) -> dict[str, int]:
        """Return what happened, by counter."""
        return {
            **self._delivery.counters(),
            "redelivered": self.redelivered,
            "stream_restarts": self.restarts,
        }

    async def open(self) -> None:
        """Check that the stream exists.

        Raises:
            NotConnectedError: The server does not answer.
            RefusedError: There is no such stream.
        """
        try:
            found = await self._consumer.context.stream_info(self._name)
            await self._consumer.find()
        except nats.js.errors.NotFoundError as error:
            raise RefusedError(f"there is no stream {self._name!r}") from error
        except _TROUBLE as error:
            raise NotConnectedError(f"stream {self._name!r}: {error or repr(error)}") from error
        created = found.created
        self._epoch = int(created.timestamp()) if created is not None else 1
        loop = asyncio.get_running_loop()
        self._tasks = [
            loop.create_task(act(), name=f"jetstream {what}")
            for what, act in (("give", self._delivery.run), ("acknowledge", self._send_acks))
        ]

    async def close(self) -> None:
        """Stop fetching; what was not acknowledged is delivered again."""
        tasks, self._tasks = self._tasks, []
        await ended(*tasks, again_s=CLOSE_S)
        with suppress(*_TROUBLE):  # else the server delivers again, with a known identity
            async with asyncio.timeout(CLOSE_S):
                while not self._acks.empty():
                    await self._acks.get_nowait().ack()
                await self._link.flush()

    async def publish(self, subject: str, payload: bytes, headers: dict[str, str]) -> None:
        """Publish a message, and wait until the stream keeps it.

        Raises:
            NotConnectedError: The server does not answer, or cannot keep it now.
            RefusedError: The stream does not store the subject.
        """
        try:
            await self._consumer.context.publish(
                subject, payload, stream=self._name, headers=headers
            )
        except nats.js.errors.NoStreamResponseError as error:
            raise RefusedError(f"no stream stores subject {subject[:100]!r}") from error
        except nats.js.errors.APIError as error:
            raise NotConnectedError(f"stream {self._name!r}: {error.description}") from error
        except (nats.errors.Error, OSError) as error:
            raise NotConnectedError(f"stream {self._name!r}: {error or repr(error)}") from error

    async def _settle(self, needed: tuple[str, ...]) -> None:
        subjects = sorted(needed)
        await self._consumer.settle(subjects)
        if subjects and len(self._tasks) == 2:
            self._tasks.append(asyncio.create_task(self._keep_fetching(), name="jetstream fetch"))
        elif not subjects and len(self._tasks) > 2:
            await ended(self._tasks.pop(), again_s=CLOSE_S)

    async def _keep_fetching(self) -> None:
        while True:
            try:
                await self._fetch()
                self.restarts += 1
            except _TROUBLE as error:
                self.failure = f"stream {self._name!r}: {error or repr(error)}"
                _log.warning("fetching_failed", extra={"reason": self.failure})
            await asyncio.sleep(RESTART_S)

    async def _fetch(self) -> None:
        """Fetch until a message that the server sent does not arrive."""
        async with self._change:
            self._delivered = await self._consumer.begin_again()
            pulled = await self._consumer.context.pull_subscribe_bind(
                self._consumer.name, self._name
            )
        self.failure = ""
        try:
            await self._fetch_from(pulled)
        finally:
            # For an open request the server would send a message that nobody receives.
            with suppress(*_TROUBLE):
                await pulled.unsubscribe()

    async def _fetch_from(self, pulled: "JetStreamContext.PullSubscription") -> None:
        while True:
            room = await self._delivery.room()
            try:
                messages = await pulled.fetch(min(BATCH, room), timeout=FETCH_S)
            except TimeoutError:
                if not self._link.connected:
                    raise
                messages = []
            if not messages:
                await pulled.consumer_info()  # an error where it was deleted
            for message in messages:
                if message.metadata.sequence.consumer != self._delivered + 1:
                    return
                self._delivered += 1
                self._take(message)

    def _take(self, message: "Msg") -> None:
        number = message.metadata.sequence.stream
        self.redelivered += number in self._delivery
        self._native[number] = message
        told = message.metadata.timestamp
        time_us = round(told.timestamp() * 1e6)
        origin = f"{self._home}/{self._name}"
        stamp = Stamp(origin, self._epoch, number, time_us, self._home)
        headers = message.headers or {}
        kept = NatsMessage(message.subject, message.data, headers, kept=stamp)
        size = len(message.data) + sum(len(name) + len(value) for name, value in headers.items())
        self._delivery.put(number, kept, size)

    def _acknowledge(self, number: int) -> None:
        message = self._native.pop(number, None)
        if message is not None:
            self._acks.put_nowait(message)  # at most as many as are not answered

    async def _send_acks(self) -> None:
        while True:
            message = await self._acks.get()
            # Where it is lost, the message comes again, and the gateway recognises its identity.
            with suppress(*_TROUBLE):
                await message.ack()
