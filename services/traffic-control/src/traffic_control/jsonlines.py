"""Files of JSON lines that a run appends to; they survive a restart, and a full disk."""

import json
import logging
from pathlib import Path
from typing import Any

import msgspec

log = logging.getLogger(__name__)

MAX_WAITING_BYTES = 4 * 1024 * 1024
"""Most bytes kept for a file that cannot be written; further lines are lost and counted."""

_LOOK_BACK_BYTES = 64 * 1024
_encoder = msgspec.json.Encoder()


class JsonLines:
    """Appends lines to a file.

    A file whose last line is from this run is continued after its last complete line; any other is
    begun again. What cannot be written is counted and reported, and affects nothing else.

    Args:
        path: The file.
        member: Member of a line that contains its time, microseconds since 1970 UTC.
        since_us: When the run began.

    Attributes:
        fault: Why nothing can be written; "" where it can.
        lost: Lines that could not be written.

    Raises:
        OSError: The file cannot be opened.
    """

    def __init__(self, path: Path, member: str, since_us: int) -> None:
        self.fault = ""
        self.lost = 0
        self._path = path
        keep = _bytes_to_keep(path, member, since_us)
        self._stream = path.open("r+b" if keep else "wb", buffering=0)
        self._stream.seek(keep)
        self._stream.truncate()
        self._end = keep
        self._waiting = bytearray()
        self._lines = 0

    @property
    def name(self) -> str:
        """Name of the file."""
        return self._path.name

    def append(self, line: msgspec.Struct | dict[str, Any]) -> None:
        """Append a line; `flush` writes it to the operating system."""
        if len(self._waiting) > MAX_WAITING_BYTES:
            self.lost += 1
            return
        self._waiting += _encoder.encode(line) + b"\n"
        self._lines += 1

    def flush(self) -> None:
        """Write what was appended to the operating system; what fails is tried again later."""
        if not self._waiting or self._stream.closed:
            return
        try:
            self._write_all()
        except OSError as error:
            if not self.fault:
                log.error("log_not_written", extra={"file": self._path.name, "error": str(error)})  # noqa: TRY400 - its trace adds nothing
            self.fault = str(error)
            return
        self.fault = ""
        self._waiting.clear()
        self._lines = 0

    def close(self) -> None:
        """Flush and close; idempotent."""
        self.flush()
        self.lost += self._lines
        self._lines = 0
        self._stream.close()

    def _write_all(self) -> None:
        self._stream.seek(self._end)  # a part that was written before it failed is written again
        with memoryview(self._waiting) as waiting:
            done = 0
            while done < len(waiting):
                done += self._stream.write(waiting[done:]) or 0
        self._end += len(self._waiting)


def _bytes_to_keep(path: Path, member: str, since_us: int) -> int:
    if not path.exists():
        return 0
    size = path.stat().st_size
    with path.open("rb") as stream:
        stream.seek(max(0, size - _LOOK_BACK_BYTES))
        tail = stream.read()
    whole, end, _ = tail.rpartition(b"\n")
    try:
        moment = json.loads(whole.rpartition(b"\n")[2])[member]
        is_ours = int(moment) >= since_us
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        log.warning("log_begun_anew", extra={"file": path.name, "reason": repr(error)})
        return 0
    return size - len(tail) + len(whole + end) if is_ours else 0
