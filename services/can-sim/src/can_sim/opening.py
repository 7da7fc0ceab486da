"""Input files, compressed or not."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from can_sim.errors import InputError
from can_sim.gunzip import Gunzipped
from can_sim.tally import Tally

SUFFIXES = (".gz", ".csv", ".tsv", ".gpx", ".log", ".txt", ".candump", ".asc", ".blf", ".trc")
MAX_WHOLE_BYTES = 256 * 1024 * 1024
"""Largest file that is read as a whole (GPX, DBC), after decompression."""


GZIP = b"\x1f\x8b\x08"
FOREIGN = {
    b"PK\x03\x04": "a spreadsheet or another ZIP archive",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "a spreadsheet",
    b"MDF     ": "an MDF measurement file",
    b"SQLite format 3\x00": "a database of SQLite",
    b"PAR1": "a Parquet file",
    b"\xd4\xc3\xb2\xa1": "a packet capture",
    b"\xa1\xb2\xc3\xd4": "a packet capture",
    b"\x0a\x0d\x0d\x0a": "a packet capture",
    b"BZh": "compressed by bzip2",
    b"\xfd7zXZ\x00": "compressed by xz",
    b"\x28\xb5\x2f\xfd": "compressed by zstd",
    b"%PDF-": "a PDF document",
}
"""First bytes of usual files that are not read, and what these files are."""
MAGIC_BYTES = max(map(len, FOREIGN))


@contextmanager
def open_bytes(path: Path, tally: Tally | None = None) -> Iterator[BinaryIO]:
    """Open a file for reading, through gzip where it begins as such.

    Compressed data that is cut off or broken is read up to there.

    Args:
        path: The file.
        tally: Counts such data as `cut_off`; without one it is refused.

    Raises:
        InputError: The file cannot be read, or has a format that is none of ours; its compressed
            data is broken, and `tally` absent or strict; or it unpacks to more than any log does.
    """

    def broken(reason: str) -> None:
        error = InputError(f"compressed data is broken: {reason}", str(path))
        if tally is None:
            raise error
        tally.bad("cut_off", error)

    try:
        with path.open("rb") as stream:
            start = stream.peek(MAGIC_BYTES)
            if format_ := next((each for each in FOREIGN if start.startswith(each)), b""):
                raise InputError(f"is {FOREIGN[format_]}, which is not read", str(path))
            if path.suffix.lower() == ".gz" or start.startswith(GZIP):
                yield cast("BinaryIO", Gunzipped(stream, broken))
            else:
                yield stream
    except zlib.error as error:
        raise InputError(f"compressed data is broken: {error}", str(path)) from error
    except OSError as error:
        raise InputError(error.strerror or str(error), str(path)) from error


def read_bytes(path: Path, tally: Tally | None = None) -> bytes:
    """Return a whole file.

    Raises:
        InputError: The file cannot be read, or has more than `MAX_WHOLE_BYTES`.
    """
    with open_bytes(path, tally) as stream:
        data = stream.read(MAX_WHOLE_BYTES + 1)
    if len(data) > MAX_WHOLE_BYTES:
        raise InputError(f"has more than {MAX_WHOLE_BYTES} bytes; split it", str(path))
    return data


def kind_of(path: Path) -> str:
    """Return the suffix for the format of a file, in lower case, e.g. `csv`; may be empty."""
    name = path.name.lower().removesuffix(".gz")
    return name.rpartition(".")[2] if "." in name else ""


def stem_of(path: Path) -> str:
    """Return a file's name without the suffixes for its format."""
    name = path.name
    while True:
        found = next((s for s in SUFFIXES if name.lower().endswith(s) and len(name) > len(s)), None)
        if found is None:
            return name
        name = name[: -len(found)]
