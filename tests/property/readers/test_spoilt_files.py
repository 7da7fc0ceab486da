"""However a file is spoilt, its readers end, refuse in one line, and lose no record uncounted.

2,000 files, or as many as FES_FUZZ says (`make simulate`: 100,000). A failure names the number of
its file; `FES_FUZZ_ONLY=number` replays it alone.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from can_sim import monitors
from can_sim.canlog import dbc
from can_sim.canlog.reader import read_frames
from can_sim.errors import InputError
from can_sim.opening import open_bytes
from can_sim.rows import raw_rows
from can_sim.sources import csv_trace, gpx_trace
from can_sim.sources.gpx_points import text_of
from can_sim.table import Table
from can_sim.tally import Tally
from eventservices.canlog.gvret import is_header
from eventservices.canlog.textlines import MAX_LINE_CHARACTERS, encoding_of, text_lines
from support.readers.corpus import SEEDS, Seed, blf_promise
from support.readers.spoiling import spoil

FILES = int(os.environ.get("FES_FUZZ", "2000"))
ONLY = os.environ.get("FES_FUZZ_ONLY", "")
PIECES = 20
HEADERS = [
    "date",
    "base",
    "no",
    "internal",
    "begin",
    "end",
    "previous",
    "version",
    "comment",
    "start",
]
MOST_RECORDS = 100_000
"""More than any of the files can hold: a reader that gives more repeats itself."""


def spoilt(number: int) -> Seed:
    """Return the file of a number: the same wherever it is made."""
    chance = Random(number)
    seed = SEEDS[chance.choice(tuple(SEEDS))]()
    return seed._replace(data=spoil(seed.data, seed.keep, chance))


@pytest.mark.timeout(0 if FILES > 2000 else 300)
@pytest.mark.parametrize("piece", range(PIECES))
def test_a_spoilt_file_is_read_as_far_as_it_goes_and_nothing_is_lost_uncounted(
    tmp_path: Path, piece: int
) -> None:
    numbers = [int(ONLY)] if ONLY else range(piece, FILES, PIECES)
    for number in numbers:
        seed = spoilt(number)
        path = tmp_path / seed.name
        path.write_bytes(seed.data)
        try:
            check(path, seed)
        except Exception as error:
            error.add_note(f"replay: FES_FUZZ_ONLY={number} pytest {__file__}")
            raise


def check(path: Path, seed: Seed) -> None:
    """Read a file leniently and strictly."""
    tally = Tally()
    refused = None
    try:
        taken = bounded(read(path, tally))
    except InputError as error:
        refused, taken = error, 0
    assert "\n" not in str(refused)
    if refused is None:
        accounted(path, seed, taken, tally)
    strict = Tally(strict=True)
    try:
        again = bounded(read(path, strict))
    except InputError:
        return
    assert refused is None
    assert again == taken, "a strict reader that refuses nothing reads the same"
    assert not tally.skipped["bad_row"] + tally.skipped["broken_line"] + tally.skipped["broken"]


def read(path: Path, tally: Tally) -> Iterator[object]:
    """Yield the records of a file by the reader of its suffix."""
    suffix = path.name.removesuffix(".gz").rpartition(".")[2]
    if suffix == "dbc":
        yield from dbc.load(path, tally).messages
    elif suffix == "txt":
        yield from monitors_of(path, tally)
    elif suffix in ("csv", "gpx") and not path.name.startswith("drive"):
        {"csv": csv_trace.read, "gpx": gpx_trace.read}[suffix](path, tally)
        yield from range(tally.taken)
    else:
        yield from read_frames(path, tally)


def monitors_of(path: Path, tally: Tally) -> Iterator[object]:
    """Yield the rows of a file of monitors that were read."""
    monitors.read(path, tally)
    yield from range(tally.taken)


def bounded(records: Iterator[object]) -> int:
    """Return how many records there are."""
    count = 0
    for count, _ in enumerate(records, start=1):
        assert count < MOST_RECORDS, "the reader does not advance"
    return count


def accounted(path: Path, seed: Seed, taken: int, tally: Tally) -> None:
    """Check that what a file holds was read or counted."""
    suffix = path.name.rpartition(".")[2]
    counted = tally.left_out
    if suffix == "gz":
        return
    if suffix == "log":
        assert taken + counted == lines_of(seed.data, "#")
    elif suffix == "trc":
        headers = sum(1 for line in pieces_of(seed.data) if line.startswith(";"))
        broken_headers = sum("version" in note or "start" in note for note in tally.notes)
        assert taken + counted >= lines_of(seed.data, "") - headers
        assert taken + counted <= lines_of(seed.data, "") + broken_headers
    elif suffix == "blf":
        assert taken + counted >= blf_promise(seed.data)
    elif suffix == "gpx":
        begun = len(re.findall(r"<(?:[\w.-]+:)?trkpt[\s>/]", text_of(seed.data)))
        assert taken + counted >= begun
    elif suffix == "asc":
        headers = sum(is_of_the_header(piece) for piece in pieces_of(seed.data))
        assert taken + counted == lines_of(seed.data, "") - headers
    elif path.name.startswith("drive"):
        headers = sum(is_header(piece) for piece in pieces_of(seed.data))
        assert taken + counted == lines_of(seed.data, "") - headers
    elif suffix in ("csv", "txt"):
        assert taken + counted == rows_of(path)


def pieces_of(data: bytes) -> list[str]:
    """Return what stands on the lines of a text log, as it is split anywhere."""
    encoding, handler = encoding_of(data[:64])
    text = data.decode(encoding, handler if handler == "replace" else "backslashreplace")
    found = []
    for line in re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text):
        for at in range(0, len(line), MAX_LINE_CHARACTERS):
            found += line[at : at + MAX_LINE_CHARACTERS].split("\0")
    return [piece.strip() for piece in found if piece.strip("\r\n")]


def is_of_the_header(line: str) -> bool:
    """Tell whether a line of an ASC log begins as those of its header do."""
    first = (line.split() or [""])[0].lower()
    return first in HEADERS or line.startswith(("//", "#", ";"))


def lines_of(data: bytes, comment: str) -> int:
    """Return how many lines of a text log tell something."""
    return sum(1 for line in pieces_of(data) if line and not (comment and line.startswith(comment)))


def rows_of(path: Path) -> int:
    """Return how many rows a table has, having seen that they span all its lines."""
    with open_bytes(path) as stream:
        table = Table(path, stream)
        rows = list(raw_rows(table._lines, table.delimiter, len(table.columns)))
    with path.open("rb") as stream:
        lines = [text for number, text, _ in text_lines(stream) if number > table.header_line]
    spanned = {row.line + n for row in rows for n in range(row.lines)}
    told = {n for n, text in enumerate(lines, table.header_line + 1) if text.strip("\0").strip()}
    assert told <= spanned
    return sum(1 for row in rows if row.cells or row.broken)
