"""One stream, through one connection that finds its servers again."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import msgspec
import nats.errors
import nats.js.errors
from eventservices.errors import NotConnectedError, RefusedError
from eventservices.natslink import LinkOptions, NatsLink
from fes.errors import StoreError
from nats.js import api

from fes_gateway.store.jetstream.assembly import Message
from fes_gateway.store.jetstream.records import decode
from fes_gateway.store.jetstream.settings import StreamSettings

if TYPE_CHECKING:
    from nats.js.client import JetStreamContext

log = logging.getLogger(__name__)

T = TypeVar("T")

TROUBLE = (nats.errors.Error, NotConnectedError, OSError, TimeoutError)
"""What a lost connection, or a server that is away, makes of an operation."""

EXPECTED: Final = "Nats-Expected-Last-Sequence"
WRONG_SEQUENCE: Final = frozenset({10070, 10071})
"""Error codes of the server where another message is the last, or is becoming it."""

NO_MESSAGE: Final = 10037
"""Error code of the server where a stream has no such message."""

PAUSE_S: Final = 0.05
FEW: Final = 8
"""Up to so many messages are requested one by one."""
FETCHED: Final = 64
"""Most messages that are in transit at a time."""


class Ends(NamedTuple):
    """Numbers of the first message that a stream keeps, and of the last; 1 and 0 at first."""

    first: int
    last: int


class RefusedSequenceError(Exception):
    """States that a message was not stored, since another one is the last."""


class GapError(Exception):
    """States that a stream lacks a message between those that it keeps."""


class Stream:
    """Does single things with a stream; each is bounded in time.

    Args:
        settings: Which stream, and where.
        name: Of the client, for the servers' monitoring.

    Attributes:
        link: The connection.
        place: Names the stream in errors.
    """

    def __init__(self, settings: StreamSettings, name: str) -> None:
        self.settings = settings
        self.place = settings.place
        options = LinkOptions(name=name, open_timeout_s=settings.patience_s)
        self.link = NatsLink(settings.urls, options)
        self._opening = asyncio.Lock()
        self._opened = False
        self._made = False

    async def close(self) -> None:
        """Disconnect."""
        await self.link.close()

    async def jetstream(self) -> "JetStreamContext":
        """Return what speaks to the servers, once one is connected and has the stream.

        Raises:
            NotConnectedError: None is.
            StoreError: They refuse us, or the stream is not ours.
        """
        async with self._opening:
            if not self._opened:
                await self._open()
            if not self.link.connected:
                raise NotConnectedError("not connected")
            context: JetStreamContext = self.link.client.jetstream(timeout=self.settings.answer_s)
            if not self._made:
                await self._make(context)
                self._made = True
            return context

    async def patiently(self, act: Callable[[], Awaitable[T]]) -> T:
        """Do something again until it is done, or the patience is at its end.

        Raises:
            StoreError: It could not be done; it may have been, where an answer was lost.
        """
        deadline = time.monotonic() + self.settings.patience_s
        while True:
            try:
                return await act()
            except StoreError:  # an OSError, too
                raise
            except nats.js.errors.APIError as error:
                if not _passes(error) or time.monotonic() > deadline:
                    raise StoreError(f"{self.place}: {error.description or error}") from error
            except TROUBLE as error:
                if time.monotonic() > deadline:
                    raise StoreError(f"{self.place}: no answer: {error!r}") from error
            await asyncio.sleep(PAUSE_S)

    async def ends(self) -> Ends:
        """Return where the stream begins and ends."""
        context = await self.jetstream()
        state = (await context.stream_info(self.settings.name)).state
        return Ends(state.first_seq, state.last_seq)

    async def max_payload(self) -> int:
        """Return the size of the largest message that the server accepts, in bytes."""
        await self.jetstream()
        return self.link.max_payload_bytes

    async def store(self, payload: bytes, expected: int | None) -> int:
        """Store a message, if `expected` is the last one's number; return its own.

        Raises:
            RefusedSequenceError: Another is the last.
        """
        context = await self.jetstream()
        headers = None if expected is None else {EXPECTED: str(expected)}
        try:
            async with asyncio.timeout(2 * self.settings.answer_s):
                done = await context.publish(
                    self.settings.subject, payload, stream=self.settings.name, headers=headers
                )
        except nats.js.errors.APIError as error:
            if error.err_code in WRONG_SEQUENCE:
                raise RefusedSequenceError(error.description) from error
            raise
        return done.seq

    async def payload_at(self, sequence: int) -> bytes | None:
        """Return the payload of a message, as the stream's leader has it; None if there is none."""
        context = await self.jetstream()
        try:
            found = await context.get_msg(self.settings.name, seq=sequence)
        except nats.js.errors.NotFoundError as error:
            if error.err_code == NO_MESSAGE:
                return None
            raise
        return found.data or b""

    async def purge(self, before: int) -> None:
        """Remove all messages before one."""
        context = await self.jetstream()
        await context.purge_stream(self.settings.name, seq=before)

    async def messages(self, first: int, last: int) -> list[Message]:
        """Return the messages from one to another, both included.

        Raises:
            GapError: One of them is not there.
            StoreError: One is not ours.
        """
        count = last - first + 1
        if count <= 0:
            return []
        if count <= FEW:
            payloads = [await self.payload_at(number) for number in range(first, last + 1)]
        else:
            payloads = await self._fetched(first, count)
        return [self._message(first + at, payload) for at, payload in enumerate(payloads)]

    def _message(self, sequence: int, payload: bytes | None) -> Message:
        if payload is None:
            raise GapError(f"message {sequence} is not there")
        try:
            return Message(sequence, decode(payload))
        except msgspec.MsgspecError as error:
            raise StoreError(
                f"{self.place}: message {sequence} is none of ours: {error}"
            ) from error

    async def _fetched(self, first: int, count: int) -> list[bytes | None]:
        """Return the payloads of many messages, through a consumer that is made for it."""
        context = await self.jetstream()
        config = api.ConsumerConfig(
            deliver_policy=api.DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=first,
            ack_policy=api.AckPolicy.NONE,
            mem_storage=True,
            num_replicas=1,
            inactive_threshold=30.0,
        )
        name, subject = self.settings.name, self.settings.subject
        consumer = await context.pull_subscribe(subject, stream=name, config=config)
        try:
            found: list[bytes | None] = []
            while len(found) < count:
                wanted = min(FETCHED, count - len(found))
                for message in await consumer.fetch(wanted, timeout=self.settings.answer_s):
                    if message.metadata.sequence.stream != first + len(found):
                        raise GapError(f"message {first + len(found)} is not there")
                    found.append(message.data)
            return found
        finally:
            await _ended(consumer.unsubscribe())
            await _ended(context.delete_consumer(name, str(config.name)))

    async def _open(self) -> None:
        try:
            await self.link.open()
        except RefusedError as error:
            raise StoreError(f"{self.place}: {error}") from error
        self._opened = True

    async def _make(self, context: "JetStreamContext") -> None:
        wanted = _config(self.settings)
        try:
            found = (await context.stream_info(self.settings.name)).config
        except nats.js.errors.NotFoundError:
            found = (await context.add_stream(wanted)).config
        for what in ("subjects", "storage", "retention"):
            if getattr(found, what) != getattr(wanted, what):
                raise StoreError(f"{self.place} is not a journal: {what} {getattr(found, what)}")
        if found.max_age or (found.max_msgs or 0) > 0 or (found.max_bytes or 0) > 0:
            raise StoreError(f"{self.place} is not a journal: it forgets what is old")
        if found.num_replicas != wanted.num_replicas:
            log.info("journal_copies_changed", extra={"stream": self.settings.name})
            await context.update_stream(found.evolve(num_replicas=wanted.num_replicas))


def _config(settings: StreamSettings) -> api.StreamConfig:
    return api.StreamConfig(
        name=settings.name,
        description="journal of a gateway",
        subjects=[settings.subject],
        retention=api.RetentionPolicy.LIMITS,
        discard=api.DiscardPolicy.NEW,
        storage=api.StorageType.FILE,
        num_replicas=settings.copies,
    )


def _passes(error: nats.js.errors.APIError) -> bool:
    """Return whether a refusal is one of a server that has not found its leader, or is starting."""
    return error.code is None or error.code >= 500


async def _ended(ending: Awaitable[Any]) -> None:
    try:
        await ending
    except TROUBLE as error:
        log.info("consumer_not_ended", extra={"error": repr(error)})  # the server forgets it
