"""Appends to a stream, exactly once, and makes snapshots."""

import asyncio
import secrets
from typing import NamedTuple

from fes.errors import BehindError, StoreError

from fes_gateway.store.jetstream.assembly import Message
from fes_gateway.store.jetstream.reading import Reader
from fes_gateway.store.jetstream.records import Chunk, Part, cut, encode, encode_state
from fes_gateway.store.jetstream.stream import GapError, RefusedSequenceError, Stream
from fes_gateway.store.journal import fold

ATTEMPTS = 5


class _Doubt(NamedTuple):
    """A batch that may be stored, since an answer was lost: the same call again finds out.

    Attributes:
        expected: Number that it follows.
        data: The batch.
        number: Number among the batches of this writer.
        payloads: Its messages.
    """

    expected: int
    data: bytes
    number: int
    payloads: tuple[bytes, ...]


class _Behind(NamedTuple):
    """Where to continue after a message, since only our own snapshots follow it.

    Attributes:
        after: Number of the message up to which the caller has read.
        last: Number of the last message of those snapshots.
    """

    after: int
    last: int


class Appender:
    """Appends to a stream.

    Args:
        stream: The stream.
        reader: Reads it.
        writer: Identifies this appender, among all past and future ones.
    """

    def __init__(self, stream: Stream, reader: Reader, writer: str) -> None:
        self.reader = reader
        self._stream = stream
        self._writer = writer
        self._number = 0
        self._doubt: _Doubt | None = None
        self._behind = _Behind(0, 0)
        self._alone = asyncio.Lock()

    async def append(self, data: bytes, expected: int) -> int:
        """Append a batch; see `Journal.append`.

        Args:
            data: The batch, encoded.
            expected: Number of the message that it is to follow. Where only messages of our own
                snapshots follow that one, the batch follows the last of them.
        """
        async with self._alone:
            for _ in range(ATTEMPTS):
                start = self._behind.last if self._behind.after == expected else expected
                try:
                    return await self._append(data, start)
                except BehindError:
                    last = await self._behind_own(start)
                    if last == start:
                        raise
                    self._behind = _Behind(expected, last)
        raise StoreError(f"{self._stream.place}: a snapshot of ours is still being stored")

    async def _append(self, data: bytes, expected: int) -> int:
        doubt = self._doubt
        if doubt is None or (doubt.expected, doubt.data) != (expected, data):
            doubt = await self._prepared(data, expected)
        self._doubt = doubt
        last = expected
        try:
            for payload in doubt.payloads:
                last = await self._put(payload, last, doubt.number)
        except BehindError:
            self._doubt = None
            raise
        self._doubt = None
        return last

    async def snapshot(self) -> tuple[int, int]:
        """Replace the messages so far by their sum.

        Returns:
            Number of the last message that the snapshot contains, and of the last message of the
            snapshot; twice the former where others have appended meanwhile.
        """
        async with self._alone:
            for _ in range(ATTEMPTS):
                whole = await self.reader.whole()
                if whole.sequence == 0:
                    return 0, 0
                state = encode_state(fold(whole.entries), whole.writers)
                try:
                    last = await self._replace(state, whole.sequence)
                except BehindError:
                    continue
                return whole.sequence, last
        raise StoreError(f"{self._stream.place}: others append too fast for a snapshot")

    async def _prepared(self, data: bytes, expected: int) -> _Doubt:
        self._number += 1
        pieces = await self._cut(data)
        payloads = tuple(
            encode(Part(self._writer, self._number, index, len(pieces), piece))
            for index, piece in enumerate(pieces)
        )
        return _Doubt(expected, data, self._number, payloads)

    async def _replace(self, state: bytes, sequence: int) -> int:
        """Store a snapshot, then remove the messages that it replaces.

        A crash in between leaves both.
        """
        name = f"{self._writer}{secrets.token_hex(8)}"
        pieces = await self._cut(state)
        payloads = [
            encode(Chunk(name, 0, index, len(pieces), piece)) for index, piece in enumerate(pieces)
        ]
        first = last = await self._put(payloads[0], sequence)
        for payload in payloads[1:]:
            last = await self._add(payload)
        await self._stream.patiently(lambda: self._stream.purge(first))
        return last if last == sequence + len(payloads) else sequence

    async def _behind_own(self, expected: int) -> int:
        """Return the number of the last message, if only our own snapshots follow one.

        A snapshot whose end, or whose purge, was not answered leaves such messages. Return
        `expected` itself where another has appended.
        """

        async def look() -> int:
            ends = await self._stream.ends()
            if ends.last <= expected or ends.first > expected + 1:
                return expected
            try:
                messages = await self._stream.messages(expected + 1, ends.last)
            except (GapError, StoreError):  # another's snapshot, or not a message of ours
                return expected
            return ends.last if all(map(self._is_ours, messages)) else expected

        return await self._stream.patiently(look)

    def _is_ours(self, message: Message) -> bool:
        record = message.record
        return isinstance(record, Chunk) and record.whose.startswith(self._writer)

    async def _cut(self, data: bytes) -> list[bytes]:
        return cut(data, await self._stream.patiently(self._stream.max_payload))

    async def _add(self, payload: bytes) -> int:
        """Store a message at any place, at least once."""
        return await self._stream.patiently(lambda: self._stream.store(payload, None))

    async def _put(self, payload: bytes, expected: int, number: int = 0) -> int:
        """Store a message directly after another, exactly once.

        Args:
            payload: Payload of the message; no other has the same.
            expected: Number of the other message.
            number: Number of its batch; 0 where it belongs to none.

        Raises:
            BehindError: It is not stored, and never will be.
            StoreError: It may be.
        """

        async def put() -> int:
            try:
                return await self._stream.store(payload, expected)
            except RefusedSequenceError as error:
                found = await self._stream.payload_at(expected + 1)
                if found == payload or (found is None and await self._is_in(number)):
                    return expected + 1
                raise BehindError(f"{self._stream.place}: {error}, expected {expected}") from error

        return await self._stream.patiently(put)

    async def _is_in(self, number: int) -> bool:
        """Return whether a batch of ours is in the journal, or in a snapshot that replaced it."""
        if not number:
            return False
        return (await self.reader.whole()).writers.get(self._writer, 0) >= number
