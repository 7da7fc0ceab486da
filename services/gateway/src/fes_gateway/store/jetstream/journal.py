"""A journal in a stream of NATS servers, for replicas on several hosts.

A message names the one before it (`Nats-Expected-Last-Sequence`), and the server accepts it only
directly after that. So of two writers one succeeds, and a message whose acknowledgement was lost is
found at the only place where it can be.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from eventservices.lasting import lasting
from fes.errors import BehindError, StoreError

from fes_gateway.store.bell import Bell
from fes_gateway.store.jetstream.appending import Appender
from fes_gateway.store.jetstream.looping import LoopThread
from fes_gateway.store.jetstream.reading import Reader
from fes_gateway.store.jetstream.records import encode_batch
from fes_gateway.store.jetstream.settings import StreamSettings
from fes_gateway.store.jetstream.stream import Stream
from fes_gateway.store.jetstream.watching import Watching
from fes_gateway.store.journal import Entry, Tail

log = logging.getLogger(__name__)

T = TypeVar("T")

SNAPSHOT_EVERY = 10_000
"""Number of own entries after which a snapshot is made."""


class JetStreamJournal:
    """Keeps its entries in a stream; see `Journal`.

    It connects with the first call, and reconnects by itself. A call waits for the servers no
    longer than the settings specify.

    Args:
        settings: The stream and its servers.
    """

    def __init__(self, settings: StreamSettings) -> None:
        self.settings = settings
        self._since_snapshot = 0
        self._loop = LoopThread(f"{settings.name} journal", settings.place)
        self._bells: list[Bell] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._stream: Stream | None = None
        self._appender: Appender | None = None

    def append(self, batch: Sequence[Entry], expected_sequence: int) -> int:
        """Append a batch; see `Journal`."""
        data = encode_batch(tuple(batch))
        number = self._run(lambda: self._append(data if batch else b"", expected_sequence))
        self._since_snapshot += len(batch)
        if self._since_snapshot < SNAPSHOT_EVERY:
            return number
        self._since_snapshot = SNAPSHOT_EVERY // 2  # where it fails, it is tried again later
        try:
            start, end = self._run(self._snapshot)
        except Exception:
            log.exception("snapshot_failed", extra={"place": self.settings.place})
            return number  # the batch is durable; the next follows what there is of the snapshot
        self._since_snapshot = 0
        return end if start == number else number

    def read(self, after: int = 0) -> Tail:
        """Return everything after a sequence number; see `Journal`."""
        return self._run(lambda: self._read(after))

    def watch(self, changed: Callable[[], None]) -> None:
        """Call a function soon after any append; see `Journal`."""
        bell = Bell(changed, f"{self.settings.name} watch")
        try:
            self._run(lambda: self._watch(bell))
        except StoreError:
            bell.close()
            raise
        self._bells = [*self._bells, bell]

    def snapshot(self) -> int:
        """Replace the entries so far by the state that they result in; see `Journal`."""
        _, end = self._run(self._snapshot)
        self._since_snapshot = 0
        return end

    def sequence(self) -> int:
        """Return the sequence number of the last entry."""
        return self._run(self._sequence)

    def close(self) -> None:
        """Disconnect; idempotent."""
        self._loop.close(self._close)
        bells, self._bells = self._bells, []
        for bell in bells:
            bell.close()

    def _run(self, function: Callable[[], Coroutine[Any, Any, T]]) -> T:
        return self._loop.call(function)

    def _parts(self) -> tuple[Stream, Reader, Appender]:
        """Return the parts that work in the loop; the first call makes them there."""
        if self._stream is None or self._appender is None:
            self._stream = Stream(self.settings, self.settings.name)
            self._appender = Appender(self._stream, Reader(self._stream), secrets.token_hex(8))
        return self._stream, self._appender.reader, self._appender

    async def _append(self, data: bytes, expected: int) -> int:
        _, _, appender = self._parts()
        if data:
            return await appender.append(data, expected)
        found = await self._sequence()
        if found != expected:
            raise BehindError(f"{self.settings.place}: at {found}, expected {expected}")
        return found

    async def _read(self, after: int) -> Tail:
        _, reader, _ = self._parts()
        return await reader.read(after)

    async def _watch(self, bell: Bell) -> None:
        stream, _, _ = self._parts()
        watching = Watching(stream, bell.ring)
        self._tasks.append(asyncio.create_task(lasting(watching.serve), name="journal watch"))

    async def _snapshot(self) -> tuple[int, int]:
        _, _, appender = self._parts()
        return await appender.snapshot()

    async def _sequence(self) -> int:
        stream, _, _ = self._parts()
        return (await stream.patiently(stream.ends)).last

    async def _close(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=2)
        if self._stream is not None:
            await self._stream.close()
