"""Files that are written whole or not at all."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def whole_file(path: Path, newline: str | None = None) -> Iterator[TextIO]:
    """Open a text file to be written, in UTF-8; it is there whole afterwards, or as it was before.

    A pipe or a device is written directly.

    Args:
        path: The file; replaced where it is there.
        newline: As of `open`.

    Raises:
        OSError: It cannot be written, since the disk is full, for instance; names the file.
    """
    real = Path(os.path.realpath(path))
    direct = real.exists() and not real.is_file()
    # Other processes, of other containers too, may write files of this folder at the same time.
    target = real if direct else real.with_name(f".part-{uuid.uuid4().hex}")
    try:
        with target.open("w", encoding="utf-8", newline=newline) as stream:
            yield stream
        if not direct:
            target.replace(real)
    except BaseException as error:
        if not direct:
            target.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(target)):
            error.filename = str(path)
        raise


def write_whole(path: Path, text: str) -> None:
    """Write a text file, in UTF-8, as `whole_file` does.

    Raises:
        OSError: It cannot be written; names the file.
    """
    with whole_file(path) as stream:
        stream.write(text)
