"""The frames of a CAN log, whatever its format.

Text logs are read a line at a time; a broken line is counted and noted, and the next one read. A
power cut may leave NUL bytes in a log, even within a line: what stands between them is read as
lines of their own.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from can_sim.canlog.asc import AscParser
from can_sim.canlog.binary import read_frames as read_binary
from can_sim.canlog.candump import has_short_fraction, parse_line
from can_sim.canlog.frame import LogFrame
from can_sim.errors import InputError
from can_sim.opening import kind_of, open_bytes
from can_sim.tally import Tally

MAX_LINE_BYTES = 64 * 1024
"""Longest line read at once; a longer one is read in pieces."""


def read_frames(path: Path, tally: Tally) -> Iterator[LogFrame]:
    """Yield the frames of a log in the log's order, error and remote frames among them.

    The suffix tells the format: `.asc`, `.blf`, `.trc`, anything else is candump's text; `.gz`
    after it is read through gzip.

    Args:
        path: The log.
        tally: Counts `broken_line`, with its number, and `nul_bytes` (lines that hold any) and
            `short_fraction` (read as a decimal; the C tools read microseconds).

    Raises:
        InputError: The log cannot be read, or a line is broken and `tally` strict.
    """
    kind = kind_of(path)
    with open_bytes(path) as stream:
        if kind in ("blf", "trc"):
            yield from read_binary(path, stream, kind)
        else:
            lines = _lines(stream, tally)
            if kind != "asc":
                lines = _watched(path, lines, tally)
            parse = AscParser().parse_line if kind == "asc" else parse_line
            yield from _parsed(path, lines, parse, tally)


def _parsed(
    path: Path,
    lines: Iterator[tuple[int, str]],
    parse: Callable[[str], LogFrame | None],
    tally: Tally,
) -> Iterator[LogFrame]:
    for number, line in lines:
        try:
            frame = parse(line)
        except ValueError as error:
            tally.bad("broken_line", InputError(str(error), str(path), number))
            continue
        if frame is not None:
            yield frame


def _watched(
    path: Path, lines: Iterator[tuple[int, str]], tally: Tally
) -> Iterator[tuple[int, str]]:
    for number, line in lines:
        if has_short_fraction(line):
            if not tally.skipped["short_fraction"]:
                tally.note(f"{path}:{number}: a short fraction is read as a decimal: .24 is 0.24 s")
            tally.skip("short_fraction")
        yield number, line


def _lines(stream: BinaryIO, tally: Tally) -> Iterator[tuple[int, str]]:
    number = 1
    while piece := stream.readline(MAX_LINE_BYTES):
        if b"\0" in piece:
            tally.skip("nul_bytes")
        for part in piece.split(b"\0"):
            if part:
                yield number, part.decode("utf-8", "backslashreplace")
        number += piece.endswith(b"\n")
