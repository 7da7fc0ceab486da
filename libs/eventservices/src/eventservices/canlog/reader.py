"""The frames of a CAN log, whatever its format.

Text logs are read a line at a time; a broken line is told, and the next one read. A power cut may
leave NUL bytes in a log, even within a line: what stands between them is read as lines of their
own.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import BinaryIO, Final, Protocol

from eventservices.canlog.asc import AscParser
from eventservices.canlog.binary import read_binary
from eventservices.canlog.candump import has_short_fraction, parse_line
from eventservices.canlog.frame import LogFrame

MAX_LINE_BYTES: Final = 64 * 1024
"""Longest line read at once; a longer one is read in pieces."""

KEPT_NOTES: Final = 20
"""Most broken lines that are kept in words; what comes later is only counted."""


class Watch(Protocol):
    """Is told what is odd in a log; may raise to end the reading."""

    def broken(self, line: int, reason: str) -> None:
        """Take note of a line, counted from 1, that tells no frame."""

    def noticed(self, what: str, line: int) -> None:
        """Take note of a line that was read all the same.

        Args:
            what: `nul_bytes` (the line holds any) or `short_fraction` (read as a decimal: `.24` is
                0.24 s; the C tools read microseconds).
            line: Its number, from 1.
        """


class LogNotes:
    """Counts what is odd in a log, and keeps the first broken lines in words.

    Attributes:
        counts: By what it was: `broken_line`, `nul_bytes`, `short_fraction`.
        notes: `line: reason`.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.notes: deque[str] = deque()

    def broken(self, line: int, reason: str) -> None:
        """Count a broken line."""
        self.counts["broken_line"] += 1
        if len(self.notes) < KEPT_NOTES:
            self.notes.append(f"{line}: {reason}")

    def noticed(self, what: str, line: int) -> None:
        """Count something odd."""
        del line
        self.counts[what] += 1


def kind_of(name: str) -> str:
    """Return the format that a file's name tells: `asc`, `blf` or `trc`; `candump` for any other.

    `.gz` after it is passed over.
    """
    suffix = name.lower().removesuffix(".gz").rpartition(".")[2]
    return suffix if suffix in ("asc", "blf", "trc") else "candump"


def read_frames(stream: BinaryIO, kind: str, watch: Watch) -> Iterator[LogFrame]:
    """Yield the frames of a log in the log's order, error and remote frames among them.

    Args:
        stream: The log's bytes.
        kind: As `kind_of` returns.
        watch: Is told what is odd.

    Raises:
        MalformedError: A BLF or TRC log is broken.
    """
    if kind in ("blf", "trc"):
        yield from read_binary(stream, kind)
        return
    lines = _lines(stream, watch)
    if kind == "asc":
        yield from _parsed(lines, AscParser().parse_line, watch)
    else:
        yield from _parsed(_watched(lines, watch), parse_line, watch)


def _parsed(
    lines: Iterator[tuple[int, str]], parse: Callable[[str], LogFrame | None], watch: Watch
) -> Iterator[LogFrame]:
    for number, line in lines:
        try:
            frame = parse(line)
        except ValueError as error:
            watch.broken(number, str(error))
            continue
        if frame is not None:
            yield frame


def _watched(lines: Iterator[tuple[int, str]], watch: Watch) -> Iterator[tuple[int, str]]:
    for number, line in lines:
        if has_short_fraction(line):
            watch.noticed("short_fraction", number)
        yield number, line


def _lines(stream: BinaryIO, watch: Watch) -> Iterator[tuple[int, str]]:
    number = 1
    while piece := stream.readline(MAX_LINE_BYTES):
        if b"\0" in piece:
            watch.noticed("nul_bytes", number)
        for part in piece.split(b"\0"):
            if part:
                yield number, part.decode("utf-8", "backslashreplace")
        number += piece.endswith(b"\n")
