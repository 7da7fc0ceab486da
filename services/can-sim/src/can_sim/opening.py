"""Input files, compressed or not."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from can_sim.errors import InputError

SUFFIXES = (".gz", ".csv", ".gpx", ".log", ".txt", ".candump", ".asc", ".blf", ".trc")


@contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """Open a file for reading, through gzip where its name ends in `.gz`.

    Raises:
        InputError: The file cannot be read, or its compression is broken or cut off.
    """
    try:
        with gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb") as stream:
            yield stream  # type: ignore[misc]  # GzipFile reads like any stream of bytes
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"compressed data is broken: {error}", str(path)) from error
    except OSError as error:
        raise InputError(error.strerror or str(error), str(path)) from error


def read_bytes(path: Path) -> bytes:
    """Return a whole file.

    Raises:
        InputError: The file cannot be read.
    """
    with open_bytes(path) as stream:
        return stream.read()


def kind_of(path: Path) -> str:
    """Return the suffix that tells a file's format, in lower case, e.g. `csv`; may be empty."""
    name = path.name.lower().removesuffix(".gz")
    return name.rpartition(".")[2] if "." in name else ""


def stem_of(path: Path) -> str:
    """Return a file's name without the suffixes that tell its format."""
    name = path.name
    while True:
        found = next((s for s in SUFFIXES if name.lower().endswith(s) and len(name) > len(s)), None)
        if found is None:
            return name
        name = name[: -len(found)]
