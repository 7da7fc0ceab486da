"""Text files: with a byte order mark or without, UTF-8 or UTF-16.

Editors and spreadsheets write a byte order mark. It is not a character of the text.
"""

import codecs
import errno
import io
from pathlib import Path
from typing import Final, TextIO

MOST_BYTES: Final = 64 * 1024 * 1024
"""Largest text that is read as a whole where nothing else is specified."""

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, with whose signature it begins
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def encoding_of(data: bytes) -> tuple[str, int]:
    """Return the encoding of a byte order mark, and its length; UTF-8 and 0 without one."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding, len(mark)
    return "utf-8", 0


def decode(data: bytes) -> str:
    """Return the text of a file's bytes, without its byte order mark.

    Raises:
        UnicodeDecodeError: They are not in the encoding of the byte order mark, or, without one,
            not UTF-8; `start` counts from the first byte of the file.
    """
    encoding, length = encoding_of(data)
    try:
        return data[length:].decode(encoding)
    except UnicodeDecodeError as error:
        raise UnicodeDecodeError(
            encoding, data, error.start + length, error.end + length, error.reason
        ) from error


def told_encoding(error: UnicodeDecodeError) -> str:
    """Return the name of the encoding of a decoding error, for people."""
    return error.encoding.upper().removesuffix("-LE").removesuffix("-BE")


def read_bytes(path: Path, most: int) -> bytes:
    """Return the bytes of a file, of a device without an end, too, no more than it may have.

    Args:
        path: The file.
        most: Largest size; bytes.

    Raises:
        OSError: It cannot be read, or is larger.
    """
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"has more than {most} bytes", str(path))
    return data


def read_text(path: Path, most: int = MOST_BYTES) -> str:
    """Return the text of a file.

    Raises:
        OSError: It cannot be read, or has more than so many bytes.
        UnicodeDecodeError: As for `decode`.
    """
    return decode(read_bytes(path, most))


def open_text(path: Path) -> TextIO:
    """Open a file of any length to read its text; the caller closes it.

    Bytes that are not UTF-8 are read as lone surrogates, which `bytes_of` converts back; in a file
    of another encoding they are replaced.

    Args:
        path: The file.

    Raises:
        OSError: It cannot be opened.
    """
    file = path.open("rb")
    encoding, length = encoding_of(file.read(4))
    file.seek(length)
    errors = "surrogateescape" if encoding == "utf-8" else "replace"
    return io.TextIOWrapper(file, encoding, errors, newline="\n")


def bytes_of(text: str) -> bytes:
    """Return a text of `open_text` as bytes, also those that were not UTF-8."""
    return text.encode("utf-8", "surrogateescape")
