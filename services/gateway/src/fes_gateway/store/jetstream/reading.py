"""Reads a stream as a journal."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from itertools import chain
from typing import NamedTuple, TypeVar

import msgspec
from fes.errors import StoreError

from fes_gateway.store.jetstream.assembly import Message, batches, newest_snapshot
from fes_gateway.store.jetstream.records import Part
from fes_gateway.store.jetstream.stream import Ends, GapError, Stream
from fes_gateway.store.journal import Entry, Tail

T = TypeVar("T")

LOOK_S = 0.02
ATTEMPTS = 5


class Whole(NamedTuple):
    """The whole content of a stream.

    Attributes:
        sequence: Number of its last message.
        entries: Entries that result in the state.
        writers: Number of the newest batch of each writer, the newest writer last.
    """

    sequence: int
    entries: tuple[Entry, ...]
    writers: dict[str, int]


class Reader:
    """Reads a stream as a journal.

    Args:
        stream: The stream.
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    async def read(self, after: int) -> Tail:
        """Return everything after a message; see `Journal.read`."""
        return await self._as_one(lambda: self._read(after))

    async def whole(self) -> Whole:
        """Return the whole content of the stream."""

        async def read() -> Whole:
            return await self._whole(await self._stream.ends())

        return await self._as_one(read)

    async def _as_one(self, act: Callable[[], Awaitable[T]]) -> T:
        """Read again where a snapshot removed messages while they were read."""
        for attempt in range(ATTEMPTS):
            if attempt:
                await asyncio.sleep(LOOK_S)
            try:
                return await self._stream.patiently(act)
            except GapError as error:
                gap = error
            except msgspec.MsgspecError as error:
                raise StoreError(f"{self._stream.place}: {error}") from error
        raise StoreError(f"{self._stream.place}: {gap}") from gap

    async def _read(self, after: int) -> Tail:
        ends = await self._stream.ends()
        if 0 < after == ends.last:
            return Tail(False, after, ())
        if 0 < after < ends.last and ends.first <= after + 1:
            messages = await self._messages(after + 1, ends)
            found, _ = batches(messages)
            later = [batch.entries for batch in found if batch.sequence > after]
            return Tail(False, messages[-1].sequence, tuple(chain.from_iterable(later)))
        whole = await self._whole(ends)
        return Tail(True, whole.sequence, whole.entries)

    async def _whole(self, ends: Ends) -> Whole:
        if ends.last == 0:
            return Whole(0, (), {})
        if ends.first > ends.last:
            raise StoreError(f"{self._stream.place}: all its messages were removed")
        messages = await self._messages(ends.first, ends)
        snapshot = newest_snapshot(messages)
        if snapshot is None and ends.first > 1:
            raise StoreError(f"{self._stream.place}: what came before {ends.first} was removed")
        start = snapshot.sequence if snapshot else 0
        state = snapshot.state.entries if snapshot else {}
        entries = [Entry(key, value) for key, value in state.items()]
        writers = dict(snapshot.state.writers) if snapshot else {}
        for batch in batches(message for message in messages if message.sequence > start)[0]:
            entries += batch.entries
            writers.pop(batch.writer, None)
            writers[batch.writer] = batch.number
        return Whole(messages[-1].sequence, tuple(entries), writers)

    async def _messages(self, first: int, ends: Ends) -> list[Message]:
        """Return messages from one on, with the whole of the batch that it belongs to.

        It waits a moment for a batch that has begun at the end, since an append now would break it.
        """
        messages = await self._stream.messages(first, ends.last)
        begun = messages[0].record
        if isinstance(begun, Part) and begun.index and first - begun.index >= ends.first:
            earlier = await self._stream.messages(first - begun.index, first - 1)
            messages = earlier + messages
        deadline = time.monotonic() + self._stream.settings.grace_s
        while _goes_on(messages[-1]) and time.monotonic() < deadline:
            await asyncio.sleep(LOOK_S)
            last = (await self._stream.ends()).last
            messages += await self._stream.messages(messages[-1].sequence + 1, last)
        return messages


def _goes_on(message: Message) -> bool:
    record = message.record
    return isinstance(record, Part) and record.index + 1 < record.count
