"""`monitors.csv`: where the monitors are, and their limits."""

import csv
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from serving.text import MOST_BYTES, decode, read_bytes, told_encoding

from traffic_control.errors import InputError
from traffic_control.limit import check_limit, number

MAX_MONITORS = 10_000
"""Most monitors of a run."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The entry of one monitor in the file.

    Attributes:
        kmh: Its limit, km/h.
        place: File and line.
    """

    kmh: float
    place: str


def read_limits(path: Path) -> dict[str, Limit]:
    """Return the limit of each monitor, in the file's order.

    Raises:
        InputError: The file cannot be read, names no monitor or one twice, or a limit is not valid;
            the message names file, line and column.
    """
    limits: dict[str, Limit] = {}
    for place, row in _rows(path, io.StringIO(_text(path), newline="")):
        name = (row["monitor"] or "").strip()
        if not name or name in limits:
            raise InputError(f"{place}: column monitor: {name[:80]!r} is empty or there twice")
        limits[name] = Limit(_limit(place, row["limit_kmh"]), place)
    if not 0 < len(limits) <= MAX_MONITORS:
        raise InputError(f"{path}: names {len(limits)} monitors, not 1 to {MAX_MONITORS}")
    return limits


def _text(path: Path) -> str:
    try:
        data = read_bytes(path, MOST_BYTES)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from error
    try:
        return decode(data)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        kind = told_encoding(error)
        raise InputError(f"{path}:{line}: is not {kind} text: {error.reason}") from error


def _rows(path: Path, lines: Iterable[str]) -> Iterator[tuple[str, dict[str, str | None]]]:
    reader = csv.DictReader(lines)
    try:
        for column in ("monitor", "limit_kmh"):
            if column not in (reader.fieldnames or ()):
                raise InputError(f"{path}:1: there is no column {column}")
        for row in reader:
            yield f"{path}:{reader.line_num}", row
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num + 1}: {error}") from error


def _limit(place: str, text: str | None) -> float:
    try:
        return check_limit(number(text or ""))
    except ValueError as error:
        raise InputError(f"{place}: column limit_kmh: {str(text)[:40]!r}: {error}") from error
