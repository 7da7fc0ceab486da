"""Lines of a text file whose encoding is recognised from its first bytes.

UTF-8, UTF-16 and UTF-32 are recognised by a byte order mark, UTF-16 without one by its zero bytes.
Any other file is UTF-8, in which bytes that are not UTF-8 are read as Windows-1252, as vendors'
tools write.
"""

import codecs
import io
from collections.abc import Iterator
from typing import BinaryIO, Final

MAX_LINE_CHARACTERS: Final = 64 * 1024
"""Longest line that is read as one."""

LOOK_BYTES: Final = 64

_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)


def _as_cp1252(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    data = error.object[error.start : error.end]
    return data.decode("cp1252", "backslashreplace"), error.end


codecs.register_error("canlog-cp1252", _as_cp1252)


def encoding_of(first: bytes) -> tuple[str, str]:
    """Return a text's encoding and how its decoding errors are handled, by its first bytes."""
    for mark, encoding in _MARKS:
        if first.startswith(mark):
            return encoding, "replace" if encoding != "utf-8-sig" else "canlog-cp1252"
    pairs = first[: len(first) // 2 * 2][:LOOK_BYTES]
    if len(pairs) >= 4:
        for encoding, zero, other in (("utf-16-le", 1, 0), ("utf-16-be", 0, 1)):
            if not any(pairs[zero::2]) and all(pairs[other::2]):
                return encoding, "replace"
    return "utf-8", "canlog-cp1252"


def decoded(data: bytes) -> str:
    """Return a whole text, without its byte order mark."""
    encoding, errors = encoding_of(data[:LOOK_BYTES])
    return data.decode(encoding, errors)


def opened(stream: BinaryIO, errors: str = "") -> io.TextIOWrapper:
    r"""Return a stream's text; `\n`, `\r\n` and a lone `\r` end its lines.

    Args:
        stream: Its bytes.
        errors: What becomes of bytes that are not UTF-8; Windows-1252 without.
    """
    buffered = io.BufferedReader(_Raw(stream))
    encoding, handler = encoding_of(buffered.peek(LOOK_BYTES)[:LOOK_BYTES])
    handler = errors or handler if handler != "replace" else handler
    return io.TextIOWrapper(buffered, encoding, handler, newline="")


def text_lines(stream: BinaryIO) -> Iterator[tuple[int, str, bool]]:
    """Yield each line without its end, its number from 1, and whether it was read whole.

    Of a line that is longer than `MAX_LINE_CHARACTERS` only that many characters are returned.
    """
    text = opened(stream)
    number = 0
    while piece := text.readline(MAX_LINE_CHARACTERS):
        number += 1
        ended = piece.endswith(("\n", "\r"))
        whole = ended or len(piece) < MAX_LINE_CHARACTERS
        yield number, piece.rstrip("\r\n"), whole
        rest = piece
        while rest and not rest.endswith(("\n", "\r")):
            rest = text.readline(MAX_LINE_CHARACTERS)


class _Raw(io.RawIOBase):
    """Lets a stream that only reads be buffered, and leaves its closing to its owner."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override] # a narrower buffer than the base accepts
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
