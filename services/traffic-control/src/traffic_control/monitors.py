"""`monitors.csv`: where the monitors stand, and their limits."""

import csv
from collections.abc import Iterator
from pathlib import Path

from traffic_control.errors import InputError
from traffic_control.limit import check_limit

MAX_MONITORS = 10_000
"""Most monitors of a run."""


def read_limits(path: Path) -> dict[str, float]:
    """Return the limit of each monitor, km/h, in the file's order.

    Raises:
        InputError: The file cannot be read, names nobody or somebody twice, or a limit is not one;
            the message names file, line and column.
    """
    limits: dict[str, float] = {}
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            for place, row in _rows(path, stream):
                name = (row["monitor"] or "").strip()
                if not name or name in limits:
                    raise InputError(f"{place}: column monitor: {name!r} is empty or there twice")
                limits[name] = _limit(place, row["limit_kmh"])
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: {error}") from error
    if not 0 < len(limits) <= MAX_MONITORS:
        raise InputError(f"{path}: names {len(limits)} monitors, not 1 to {MAX_MONITORS}")
    return limits


def _rows(path: Path, stream: Iterator[str]) -> Iterator[tuple[str, dict[str, str | None]]]:
    reader = csv.DictReader(stream)
    for column in ("monitor", "limit_kmh"):
        if column not in (reader.fieldnames or ()):
            raise InputError(f"{path}:1: there is no column {column}")
    for row in reader:
        yield f"{path}:{reader.line_num}", row


def _limit(place: str, text: str | None) -> float:
    try:
        return check_limit(float(text or ""))
    except ValueError as error:
        raise InputError(f"{place}: column limit_kmh: {str(text)[:40]!r}: {error}") from error
