"""Tables in CSV files: columns found by their usual names, cells that know their place."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import BinaryIO, TypeVar

from eventservices.canlog.textlines import text_lines

from can_sim.errors import InputError
from can_sim.numbers import degrees_of, number_of
from can_sim.opening import open_bytes
from can_sim.rows import Line, RawRow, raw_rows, split_line
from can_sim.tally import Tally

DELIMITERS = ",;\t|"
_SEPARATOR = re.compile(r'"?sep=(.?)"?', re.IGNORECASE | re.DOTALL)
"""The line by which spreadsheets name what separates cells."""
MAX_COLUMNS = 4096
Parsed = TypeVar("Parsed")


_WITHOUT_PLACE = ("3", "4")
"""`location_type` in stops of GTFS: generic nodes and boarding areas may have no coordinates."""


class NoPlaceError(InputError):
    """Raised where a row has no coordinates at all.

    Attributes:
        expected: Whether the row's kind needs none.
    """

    expected = False


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table.

    Attributes:
        file: Name of the file.
        line: Line, counted from 1.
        cells: Text by column, as the header names it.
        comma_is_decimal: Whether numbers may have a decimal comma.
    """

    file: str
    line: int
    cells: Mapping[str, str]
    comma_is_decimal: bool = False

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
            InputError: The cell has no finite number, or one out of range.
        """
        return self._number(column, number_of, low, high)

    def place(self, lat: str, lon: str) -> tuple[float, float]:
        """Return the latitude and longitude in two columns, degrees.

        Raises:
            NoPlaceError: Both cells are empty.
            InputError: A cell has no degrees, or such as are not on the globe.
        """
        if not (self.cells.get(lat, "").strip() or self.cells.get(lon, "").strip()):
            error = NoPlaceError("has no coordinates", self.file, self.line)
            error.expected = self.cells.get("location_type", "").strip() in _WITHOUT_PLACE
            raise error
        return self._number(lat, degrees_of, -90, 90), self._number(lon, degrees_of, -180, 180)

    def error(self, column: str, reason: str) -> InputError:
        """Return an error that names this row and a column of it."""
        return InputError(reason, self.file, self.line, column)

    def _number(self, column: str, read: Callable[..., float], low: float, high: float) -> float:
        text = self.text(column)
        others = ""
        if "," in text:
            others = " ".join(cell for name, cell in self.cells.items() if name != column)
        try:
            value = read(text, comma_is_decimal=self.comma_is_decimal, others=others)
        except ValueError as error:
            raise self.error(column, str(error)) from None
        if not isfinite(value) or not low <= value <= high:
            raise self.error(column, f"{text[:40]} is out of range")
        return value


class Table:
    r"""Reads one CSV file.

    The first row names the columns; blank lines, comments (`#`) and `sep=;` before it are passed
    over. Cells are separated by comma, semicolon, tabulator or bar, as the header is. The encoding
    is told by the first bytes; see `eventservices.canlog.textlines`.

    Args:
        path: Its name, for errors.
        stream: Its bytes.

    Attributes:
        columns: Their names in order; "" for one whose name another has before it.
        repeated: Names that more than one column has.

    Raises:
        InputError: There is no header, or none that can be read.
    """

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        self.file = str(path)
        self.header_line = 1
        self._lines = text_lines(stream)
        self.delimiter, columns = self._header()
        counts = Counter(column for column in columns if column)
        self.repeated = tuple(column for column, count in counts.items() if count > 1)
        first = {column: at for at, column in reversed(list(enumerate(columns)))}
        self.columns = [each if first[each] == at else "" for at, each in enumerate(columns)]

    def find(self, names: Iterable[str]) -> str | None:
        """Return the first of `names` that is a column; None where none is. Case is ignored."""
        present = {column.lower(): column for column in reversed(self.columns)}
        return next((present[name] for name in names if name in present), None)

    def need(self, names: Sequence[str]) -> str:
        """Return the first of `names` that is a column.

        Raises:
            InputError: None is.
        """
        return self.found(self.find(names), names)

    def found(self, column: str | None, names: Sequence[str]) -> str:
        """Return a column that was sought.

        Raises:
            InputError: It is None; the message names `names` and the columns that there are.
        """
        if column is None:
            there = ", ".join(self.columns[:8])[:200]
            reason = f"is missing from the header (which has {there})"
            raise InputError(reason, self.file, self.header_line, " or ".join(names))
        return column

    def rows(self) -> Iterator[Row]:
        """Yield the rows; empty lines are passed over.

        Raises:
            InputError: A row cannot be read; the rows after it are lost. See `tallied`.
        """
        for raw in self._raw():
            if raw.broken:
                raise InputError(raw.broken, self.file, raw.line)
            if raw.cells:
                yield self._row(raw)

    def tallied(self, tally: Tally) -> Iterator[Row]:
        """Yield the rows that can be read; others are counted as `bad_row`.

        Raises:
            InputError: A row cannot be read and `tally` is strict.
        """
        for raw in self._raw():
            if raw.nul:
                tally.skip("nul_bytes", place=f"{self.file}:{raw.line}")
            if raw.broken:
                tally.bad("bad_row", InputError(raw.broken, self.file, raw.line))
            elif raw.cells and any(cell.strip() for cell in raw.cells[len(self.columns) :]):
                wide = f"has {len(raw.cells)} cells, the header {len(self.columns)}"
                tally.bad("bad_row", InputError(wide, self.file, raw.line))
            elif raw.cells:
                yield self._row(raw)

    def _raw(self) -> Iterator[RawRow]:
        return raw_rows(self._lines, self.delimiter, len(self.columns))

    def _row(self, raw: RawRow) -> Row:
        cells = dict(zip(self.columns, raw.cells, strict=False))
        return Row(self.file, raw.line, cells, self.delimiter != ",")

    def _header(self) -> tuple[str, list[str]]:
        told = ""
        for number, text, whole in self._lines:
            self.header_line = number
            if not whole:
                raise InputError("the header is longer than any", self.file, number)
            line = text.strip("\0")
            if not line.strip() or line.startswith("#"):
                continue
            if separator := _SEPARATOR.fullmatch(line.rstrip("\r\n ")):
                told = separator[1] or ","
                continue
            return self._split_header((number, line, whole), told)
        raise InputError("has no header", self.file, 1)

    def _split_header(self, line: Line, told: str) -> tuple[str, list[str]]:
        number, text, _ = line
        delimiters = told or DELIMITERS
        split = {mark: split_line(text, mark) or [] for mark in delimiters}
        delimiter = max(delimiters, key=lambda mark: len(split[mark]))
        columns = [cell.strip() for cell in split[delimiter]]
        if not any(columns):
            raise InputError("has no header", self.file, number)
        if len(columns) > MAX_COLUMNS:
            raise InputError(f"has more than {MAX_COLUMNS} columns", self.file, number)
        return delimiter, columns


def read_table(
    path: Path, tally: Tally, prepare: Callable[[Table], Callable[[Row], Parsed]]
) -> list[Parsed]:
    """Return what the rows of a file say; what cannot be read is counted and left out.

    Args:
        path: The file.
        tally: Counts `bad_row`, and `no_position` for rows without coordinates; or refuses them
            where strict.
        prepare: Given the table, finds the columns and returns what reads one row.

    Raises:
        InputError: The file cannot be read, a column is missing, or a row is bad and `tally`
            strict.
    """
    parsed = []
    with open_bytes(path, tally) as stream:
        table = Table(path, stream)
        for column in table.repeated:
            place = f"{table.file}:{table.header_line}: column {column[:40]}"
            tally.note(f"{place}: is there more than once; the first is read")
        read = prepare(table)
        for row in table.tallied(tally):
            try:
                parsed.append(read(row))
            except NoPlaceError as error:
                if tally.strict and not error.expected:
                    raise
                tally.skip("no_position", place=str(error))
            except InputError as error:
                tally.bad("bad_row", error)
    tally.take(len(parsed))
    return parsed
