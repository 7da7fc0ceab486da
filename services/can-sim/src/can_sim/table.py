"""Tables in CSV files: columns found by their usual names, cells that know their place."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from math import isfinite
from pathlib import Path
from typing import BinaryIO, TypeVar

from can_sim.errors import InputError
from can_sim.opening import open_bytes
from can_sim.tally import Tally

DELIMITERS = ",;\t"
Parsed = TypeVar("Parsed")


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table.

    Attributes:
        file: Name of the file.
        line: Line, counted from 1.
        cells: Text by column, as the header names it.
    """

    file: str
    line: int
    cells: Mapping[str, str]

    def text(self, column: str) -> str:
        """Return a cell's text.

        Raises:
            InputError: The cell is absent or empty.
        """
        text = self.cells.get(column, "").strip()
        if not text:
            raise self.error(column, "is empty")
        return text

    def number(self, column: str, low: float = float("-inf"), high: float = float("inf")) -> float:
        """Return a cell's number.

        Args:
            column: Name of the column.
            low: Least number allowed.
            high: Largest number allowed.

        Raises:
            InputError: The cell holds no finite number, or one out of range.
        """
        text = self.text(column)
        try:
            value = float(text.replace("_", "?"))  # Python's own grouping is not CSV's
        except ValueError:
            raise self.error(column, f"{text[:40]!r} is not a number") from None
        if not isfinite(value) or not low <= value <= high:
            raise self.error(column, f"{text[:40]} is out of range")
        return value

    def error(self, column: str, reason: str) -> InputError:
        """Return an error that names this row and a column of it."""
        return InputError(reason, self.file, self.line, column)


class Table:
    r"""Reads one CSV file.

    The first row names the columns. Cells are separated by comma, semicolon or tabulator, as the
    header is; text is UTF-8, and bytes that are not are shown as `\xNN`.

    Args:
        path: Its name, for errors.
        stream: Its bytes.

    Raises:
        InputError: There is no header.
    """

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        self.file = str(path)
        text = TextIOWrapper(stream, "utf-8-sig", "backslashreplace", newline="")
        first = text.readline()
        self.columns = _header(first, self.file)
        delimiter = max(DELIMITERS, key=first.count)
        self._reader = csv.reader(text, delimiter=delimiter)

    def find(self, names: Sequence[str]) -> str | None:
        """Return the first of `names` that is a column; None where none is. Case is ignored."""
        present = {column.lower(): column for column in self.columns}
        return next((present[name] for name in names if name in present), None)

    def need(self, names: Sequence[str]) -> str:
        """Return the first of `names` that is a column.

        Raises:
            InputError: None is.
        """
        found = self.find(names)
        if found is None:
            raise InputError("is missing from the header", self.file, 1, " or ".join(names))
        return found

    def rows(self) -> Iterator[Row]:
        """Yield the rows; empty lines are passed over.

        Raises:
            InputError: The file is not CSV from here on.
        """
        try:
            for cells in self._reader:
                if cells:
                    yield Row(
                        self.file,
                        self._reader.line_num + 1,
                        dict(zip(self.columns, cells, strict=False)),
                    )
        except csv.Error as error:
            raise InputError(str(error), self.file, self._reader.line_num + 1) from error


def read_table(
    path: Path, tally: Tally, prepare: Callable[[Table], Callable[[Row], Parsed]]
) -> list[Parsed]:
    """Return what the rows of a file say; a bad row is counted as `bad_row` and left out.

    Args:
        path: The file.
        tally: Counts and notes bad rows, or refuses them where strict.
        prepare: Given the table, finds the columns and returns what reads one row.

    Raises:
        InputError: The file cannot be read, a column is missing, or a row is bad and `tally`
            strict.
    """
    parsed = []
    with open_bytes(path) as stream:
        table = Table(path, stream)
        read = prepare(table)
        for row in table.rows():
            try:
                parsed.append(read(row))
            except InputError as error:
                tally.bad("bad_row", error)
    return parsed


def _header(first: str, file: str) -> list[str]:
    delimiter = max(DELIMITERS, key=first.count)
    columns = [cell.strip() for cell in next(csv.reader([first], delimiter=delimiter), [])]
    if not any(columns):
        raise InputError("has no header", file, 1)
    return columns
