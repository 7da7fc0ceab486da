"""The writer of the event log: buffered, off the hot path, rotated within bounds."""

import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Protocol
from zlib import crc32

import msgspec

from fes.eventlog.schema import Record
from fes.filename import file_name

FLUSH_S = 0.2
BATCH = 500
EVERYTHING = 2**32
"""Upper bound of the checksums of identities, exclusive."""


class Log(Protocol):
    """Accepts records; never blocks and never raises."""

    def wants(self, identity: str) -> bool:
        """Return whether records about an event are accepted; otherwise none needs to be made.

        Args:
            identity: The event's, `origin/epoch/sequence`; "" for a record about no event.
        """

    def write(self, record: Record) -> None:
        """Append a record."""


class NullLog:
    """Discards every record."""

    def wants(self, identity: str) -> bool:
        """Return False: no record is accepted."""
        del identity
        return False

    def write(self, record: Record) -> None:
        """Discard `record`."""


class EventLog:
    """Writes records as JSON lines, from a thread of its own.

    Args:
        folder: Folder of the files; created if absent.
        process: Names the files, `eventlog-<process>.<n>.jsonl`; any text, see `file_name`.
        file_bytes: A file is closed once it is larger.
        files: Most files kept; the oldest is removed.
        buffer: Most records that wait for the thread; a record above it is dropped and counted.
        sample: Share of event identities that are logged, 0 to 1; the same ones everywhere.
            Requests are always logged.

    Attributes:
        dropped: Records that were not written.
        failed: How often the disk failed to write.
        written: Records written.
    """

    def __init__(
        self,
        folder: Path,
        process: str,
        *,
        file_bytes: int = 64 * 2**20,
        files: int = 8,
        buffer: int = 200_000,
        sample: float = 1.0,
    ) -> None:
        self.dropped = 0
        self.failed = 0
        self.written = 0
        self._folder = folder
        self._process = file_name(process)
        self._file_bytes = file_bytes
        self._files = files
        self._buffer = buffer
        self._threshold = int(sample * EVERYTHING)
        self._waiting: deque[Record] = deque()
        self._encoder = msgspec.json.Encoder()
        folder.mkdir(parents=True, exist_ok=True)
        self._number = _next_number(folder, self._process)
        self._file = self._path(self._number).open("ab")
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="event-log", daemon=True)
        self._thread.start()

    def wants(self, identity: str) -> bool:
        """Return whether an event is in the sample; records about no event always are."""
        return (
            self._threshold >= EVERYTHING
            or not identity
            or crc32(identity.encode()) < self._threshold
        )

    def write(self, record: Record) -> None:
        """Append a record; dropped and counted where too many wait."""
        if not self.wants(record.id):
            return
        if len(self._waiting) >= self._buffer:
            self.dropped += 1
            return
        self._waiting.append(record)

    def close(self) -> None:
        """Write what waits and close the file; idempotent."""
        if not self._closed.is_set():
            self._closed.set()
            self._thread.join()

    def _run(self) -> None:
        while not self._closed.wait(FLUSH_S):
            self._try(self._flush)
        self._try(self._flush)
        self._try(self._file.close)

    def _try(self, act: Callable[[], None]) -> None:
        """Perform an act on the file, and count a failure: a full disk must not end the thread."""
        try:
            act()
        except OSError:
            self.failed += 1

    def _flush(self) -> None:
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), BATCH))]
            self._append(batch)
            if self._file.tell() > self._file_bytes:
                self._try(self._rotate)
        self._file.flush()

    def _append(self, batch: list[Record]) -> None:
        try:
            lines = self._encoder.encode_lines(batch)
        except (ValueError, OverflowError):
            lines = b"".join(self._line(record) for record in batch)
        try:
            self._file.write(lines)
        except OSError:
            self.dropped += len(batch)
            raise
        self.written += lines.count(b"\n")

    def _line(self, record: Record) -> bytes:
        """Return one record's line; nothing, and a count, where JSON cannot express it."""
        try:
            return self._encoder.encode(record) + b"\n"
        except (ValueError, OverflowError):
            self.dropped += 1
            return b""

    def _rotate(self) -> None:
        fresh = self._path(self._number + 1).open("ab")
        self._number += 1
        full, self._file = self._file, fresh
        full.close()
        self._path(self._number - self._files).unlink(missing_ok=True)

    def _path(self, number: int) -> Path:
        return self._folder / f"eventlog-{self._process}.{number}.jsonl"


def _next_number(folder: Path, process: str) -> int:
    numbers = [
        int(path.name.split(".")[-2])
        for path in folder.glob(f"eventlog-{process}.*.jsonl")
        if path.name.split(".")[-2].isdigit()
    ]
    return max(numbers, default=-1) + 1
