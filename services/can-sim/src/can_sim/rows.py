"""Rows of a CSV file, each of which costs itself only when it is broken.

A quoted cell may hold line ends. A quote that is never closed would therefore take the rest of the
file; here it takes its own line: lines are joined only where that returns a row as wide as the
header.
"""

import csv
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from eventservices.canlog.textlines import MAX_LINE_CHARACTERS

MAX_ROW_LINES = 32
"""Most lines of a row whose cells hold line ends."""
Line = tuple[int, str, bool]


@dataclass(frozen=True, slots=True)
class RawRow:
    """One row.

    Attributes:
        line: The line on which it begins, from 1.
        cells: Its cells; empty where it is broken.
        broken: Why it cannot be read; empty where it can.
        nul: Whether it held NUL bytes.
        lines: How many lines it spans.
    """

    line: int
    cells: list[str]
    broken: str = ""
    nul: bool = False
    lines: int = 1


def split_line(text: str, delimiter: str, *, strict: bool = False) -> list[str] | None:
    """Return the cells of one row; None where its quotes do not fit."""
    try:
        found = list(csv.reader([text], delimiter=delimiter, strict=strict))
    except csv.Error:
        return None
    return found[0] if len(found) == 1 else None


def raw_rows(lines: Iterator[Line], delimiter: str, width: int) -> Iterator[RawRow]:
    """Yield the rows of a file after its header; blank lines are passed over.

    Args:
        lines: As `text_lines` gives them.
        delimiter: Between cells.
        width: Columns of the header.
    """
    ahead: deque[Line] = deque()
    while True:
        line = ahead.popleft() if ahead else next(lines, None)
        if line is None:
            return
        number, text, whole = line
        nul = "\0" in text
        text = text.strip("\0")
        if not whole:
            reason = f"the line is longer than {MAX_LINE_CHARACTERS} characters"
            yield RawRow(number, [], reason, nul)
        elif "\0" in text:
            yield RawRow(number, [], "the line holds NUL bytes", nul)
        elif not text.strip():
            if nul:
                yield RawRow(number, [], "", nul)
        elif '"' not in text:
            yield RawRow(number, text.split(delimiter), "", nul)
        else:
            yield _quoted(line, lines, ahead, delimiter, width)


def _quoted(
    line: Line, lines: Iterator[Line], ahead: deque[Line], delimiter: str, width: int
) -> RawRow:
    number, text, _ = line
    cells = split_line(text, delimiter, strict=True)
    if cells is not None:
        return RawRow(number, cells)
    joined = _joined(text, lines, ahead, delimiter, width)
    if joined is not None:
        cells, lines_of_row = joined
        return RawRow(number, cells, lines=lines_of_row)
    # Quotes within a cell that none begins, as some tools write them.
    cells = split_line(text, delimiter) if text.count('"') % 2 == 0 else None
    if cells is not None and len(cells) == width:
        return RawRow(number, cells)
    return RawRow(number, [], "a quote is not closed, or stands within a cell")


def _joined(
    text: str, lines: Iterator[Line], ahead: deque[Line], delimiter: str, width: int
) -> tuple[list[str], int] | None:
    """Return the cells of a row that ends on a later line, and how many lines it spans.

    None where no row as wide as the header does.
    """
    quotes = text.count('"')
    if quotes % 2 == 0:
        return None
    parts = [text]
    for index in range(MAX_ROW_LINES - 1):
        if index == len(ahead):
            line = next(lines, None)
            if line is None:
                return None
            ahead.append(line)
        _, more, whole = ahead[index]
        parts.append(more)
        quotes += more.count('"')
        if not whole or len(more) > MAX_LINE_CHARACTERS // MAX_ROW_LINES:
            return None
        if quotes % 2 == 0:
            cells = _row_of(parts, delimiter)
            if cells is None or len(cells) != width:
                return None
            for _ in range(index + 1):
                ahead.popleft()
            return cells, index + 2
    return None


def _row_of(parts: list[str], delimiter: str) -> list[str] | None:
    lines = [*(f"{part}\n" for part in parts[:-1]), parts[-1]]
    try:
        found = list(csv.reader(lines, delimiter=delimiter, strict=True))
    except csv.Error:
        return None
    return found[0] if len(found) == 1 else None
