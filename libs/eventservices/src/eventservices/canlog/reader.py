"""The frames of a CAN log, whatever its format.

Text logs are read a line at a time; a broken line is reported, and the next one read. A power cut
may leave NUL bytes in a log, even within a line: what is between them is read as lines of their
own.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import BinaryIO, Final

from eventservices.canlog.asc import AscParser, other_line
from eventservices.canlog.blf import read_blf
from eventservices.canlog.candump import (
    has_date,
    has_short_fraction,
    is_relative,
    parse_line,
    times_are_differences,
)
from eventservices.canlog.frame import LogFrame
from eventservices.canlog.gvret import GvretParser
from eventservices.canlog.textlines import opened
from eventservices.canlog.trc import TrcParser
from eventservices.canlog.watch import LogNotes, Watch
from eventservices.errors import MalformedError

__all__ = ["LogNotes", "Watch", "kind_of", "read_frames"]

MAX_LINE_BYTES: Final = 64 * 1024
"""Longest line read at once; a longer one is read in pieces."""

HEAD_LINES: Final = 2_000
"""Lines at the beginning that decide whether times are differences."""


def kind_of(name: str) -> str:
    """Return the format that a file's name indicates: `asc`, `blf`, `trc`; `candump` for any other.

    A `.csv` is `csv`, the form of GVRET.

    `.gz` after it is passed over.
    """
    suffix = name.lower().removesuffix(".gz").rpartition(".")[2]
    return suffix if suffix in ("asc", "blf", "csv", "trc") else "candump"


def read_frames(stream: BinaryIO, kind: str, watch: Watch) -> Iterator[LogFrame]:
    """Yield the frames of a log in the log's order, error and remote frames among them.

    Args:
        stream: The log's bytes.
        kind: As `kind_of` returns.
        watch: Is notified of what is odd.

    Raises:
        MalformedError: It is not a BLF or TRC log.
    """
    if kind == "blf":
        yield from read_blf(stream, watch)
    elif kind == "asc":
        yield from _asc(_lines(stream, watch), watch)
    elif kind == "trc":
        yield from _parsed("TRC", _lines(stream, watch), TrcParser().parse_line, watch)
    elif kind == "csv":
        yield from _parsed("GVRET", _lines(stream, watch), GvretParser().parse_line, watch)
    else:
        yield from _candump(_lines(stream, watch), watch)


def _asc(lines: Iterator[tuple[int, str]], watch: Watch) -> Iterator[LogFrame]:
    parser = AscParser()
    told = False
    for number, line in lines:
        try:
            frame = parser.parse_line(line)
            other = "" if frame else other_line(line)
        except ValueError as error:
            watch.broken(number, str(error))
            continue
        if frame is None:
            if other:
                watch.noticed(other, number)
            continue
        if parser.started_us is not None:
            if not (told or parser.has_zone):
                watch.noticed("date_without_zone", number)
            told = True
            frame = replace(frame, time_us=(frame.time_us or 0) + parser.started_us)
        yield frame


def _parsed(
    what: str,
    lines: Iterator[tuple[int, str]],
    parse: Callable[[str], LogFrame | str | None],
    watch: Watch,
) -> Iterator[LogFrame]:
    first, frames = "", 0
    for number, line in lines:
        try:
            frame = parse(line)
        except ValueError as error:
            first = first or f"line {number}: {error}"
            watch.broken(number, str(error))
            continue
        if isinstance(frame, str):
            watch.noticed(frame, number)
        elif frame is not None:
            frames += 1
            yield frame
    if first and not frames:
        raise MalformedError(f"is not a {what} log: {first}")


def _candump(lines: Iterator[tuple[int, str]], watch: Watch) -> Iterator[LogFrame]:
    head = list(islice(lines, HEAD_LINES))
    adds = times_are_differences(line for _, line in head)
    total_us, dated, told = 0, False, False
    for number, line in chain(head, lines):
        if has_short_fraction(line):
            watch.noticed("short_fraction", number)
        try:
            frame = parse_line(line)
        except ValueError as error:
            watch.broken(number, str(error))
            continue
        if frame is None:
            continue
        if adds and frame.time_us is not None and is_relative(line):
            if not told:
                watch.noticed("differences", number)
                told = True
            total_us += frame.time_us
            frame = replace(frame, time_us=total_us)
        if not dated and has_date(line):
            watch.noticed("date_without_zone", number)
            dated = True
        yield frame


def _lines(stream: BinaryIO, watch: Watch) -> Iterator[tuple[int, str]]:
    text = opened(stream, "backslashreplace")
    number = 1
    while piece := text.readline(MAX_LINE_BYTES):
        if "\0" in piece:
            watch.noticed("nul_bytes", number)
        for part in piece.split("\0"):
            if part.strip("\r\n"):
                yield number, part
        number += piece.endswith(("\n", "\r"))
