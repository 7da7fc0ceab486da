"""Gzip, read as far as it is whole.

The standard library's reader raises at the end of a file that was cut off, and what it had read
ahead is lost with it.
"""

import io
import zlib
from collections.abc import Callable
from typing import BinaryIO

CHUNK_BYTES = 64 * 1024
PACKED_BYTES = 1024
"""How much is unpacked at once: of a broken place, what comes before it is not lost with it."""
FREE_BYTES = 64 * 1024 * 1024
"""What any file may unpack to."""
MOST_RATIO = 200
"""Largest ratio beyond `FREE_BYTES`; logs of a bus at rest reach about 60."""
_GZIP = 31
"""Window size of zlib that represents gzip's format."""


class Gunzipped(io.RawIOBase):
    """Reads a gzip file of one or more members.

    Args:
        stream: Its bytes.
        broken: Called once, with the reason, where the data is broken or cut off; may raise.

    Raises:
        zlib.error: It unpacks to more than any log does.
    """

    def __init__(self, stream: BinaryIO, broken: Callable[[str], None]) -> None:
        self._stream = stream
        self._broken = broken
        self._member = zlib.decompressobj(_GZIP)
        self._packed = b""
        self._ready = b""
        self._ended = False
        self._taken = 0
        self._given = 0

    def readable(self) -> bool:
        """Report that it can be read."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Return up to `size` bytes, fewer at the end only; all where `size` is negative."""
        parts: list[bytes] = []
        wanted = size
        while wanted != 0:
            if not self._ready and not self._fill():
                break
            part = self._ready if wanted < 0 else self._ready[:wanted]
            self._ready = self._ready[len(part) :]
            parts.append(part)
            wanted -= len(part) if wanted > 0 else 0
        return b"".join(parts)

    def _fill(self) -> bool:
        while not self._ready and not self._ended:
            self._next_piece()
        return bool(self._ready)

    def _next_piece(self) -> None:
        if self._member.eof:
            self._packed = self._member.unused_data.lstrip(b"\0") or self._more()
            if not self._packed:
                self._ended = True
                return
            self._member = zlib.decompressobj(_GZIP)
        elif not self._packed:
            self._packed = self._member.unconsumed_tail or self._more()
        try:
            # Without input it returns what it had no room for the last time.
            self._ready = self._member.decompress(self._packed, CHUNK_BYTES)
        except zlib.error as error:
            self._end(str(error))
            return
        if not (self._packed or self._ready or self._member.eof):
            self._end("it ends before its last record")
        self._packed = b"" if self._member.eof else self._member.unconsumed_tail
        self._given += len(self._ready)
        if self._given > FREE_BYTES and self._given > MOST_RATIO * self._taken:
            raise zlib.error(f"it unpacks to more than {MOST_RATIO} times its size")

    def _more(self) -> bytes:
        data = self._stream.read(PACKED_BYTES)
        self._taken += len(data)
        return data

    def _end(self, reason: str) -> None:
        self._ended = True
        self._broken(reason)
