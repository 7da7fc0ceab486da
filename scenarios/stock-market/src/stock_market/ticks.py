"""Ticks: what was traded, from a file or made up; each becomes a sell and a buy order."""

import csv
import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

from fes.errors import FesError

from stock_market.story import SHARES, TICKS

UNITS_OF_A_DOLLAR = 10_000
FIELDS = ("share", "price", "number")


class TicksError(FesError):
    """Raised when a file of ticks cannot be read; names the file and the line."""


@dataclass(frozen=True, slots=True)
class Tick:
    """One trade.

    Attributes:
        share: What was traded.
        price: Of one, in euros.
        number: How many.
    """

    share: str
    price: float
    number: int


def generated(count: int, seed: int) -> list[Tick]:
    """Return made-up ticks: prices that wander, share by share."""
    chance = Random(seed)
    prices = {share: 40.0 + 20.0 * at for at, share in enumerate(SHARES)}
    ticks = []
    for _ in range(count):
        share = chance.choice(SHARES)
        prices[share] = max(1.0, round(prices[share] + chance.uniform(-0.5, 0.5), 2))
        ticks.append(Tick(share, prices[share], 10 * chance.randint(1, 50)))
    return ticks


def read(path: Path, count: int) -> list[Tick]:
    """Return the first ticks of a file.

    Args:
        path: A zip with one CSV: milliseconds since midnight, price in 1/10,000, size, and more;
            the share is the name of the file up to the first `_`.
        count: Most ticks.

    Raises:
        TicksError: The file cannot be read, or a line is not a trade.
    """
    share = path.name.partition("_")[0].upper()
    try:
        with zipfile.ZipFile(path) as archive, archive.open(archive.namelist()[0]) as file:
            lines = io.TextIOWrapper(file, "utf-8")
            return list(islice(_trades(path, share, lines), count))
    except (OSError, zipfile.BadZipFile, IndexError, UnicodeDecodeError) as error:
        raise TicksError(f"{path}: cannot be read: {error}") from error


def _trades(path: Path, share: str, lines: io.TextIOWrapper) -> Iterator[Tick]:
    for number, row in enumerate(csv.reader(lines), 1):
        try:
            yield Tick(share, int(row[1]) / UNITS_OF_A_DOLLAR, int(row[2]))
        except (ValueError, IndexError) as error:
            raise TicksError(f"{path}:{number}: not a trade: {','.join(row)[:80]}") from error


def write(folder: Path, ticks: list[Tick]) -> None:
    """Write the ticks of a run."""
    with (folder / TICKS).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        writer.writerows((tick.share, repr(tick.price), tick.number) for tick in ticks)


def of_run(folder: Path) -> list[Tick]:
    """Return the ticks of a run."""
    with (folder / TICKS).open(encoding="utf-8", newline="") as file:
        return [
            Tick(row["share"], float(row["price"]), int(row["number"]))
            for row in csv.DictReader(file)
        ]
