"""Files of a run that native clients write, and wait for."""

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

POLL_S = 0.05

Tell = Callable[[str], None]
"""Accepts a line."""


@contextmanager
def lines_of(path: Path) -> Iterator[Tell]:
    """Begin a file again, and yield what appends a line to it at once.

    Args:
        path: The file.
    """
    with path.open("w", encoding="utf-8", buffering=1) as stream:
        yield lambda line: print(line, file=stream)


def ready_file(run: Path, client: str) -> Path:
    """Return the file that a client makes once its subscriptions are active."""
    return run / f"{client}.ready"


def is_ready(file: Path) -> None:
    """Make such a file."""
    file.touch()


async def all_there(paths: Iterable[Path], within_s: float) -> bool:
    """Wait until files are there; False where they are not in time.

    Args:
        paths: The files.
        within_s: Longest wait, seconds.
    """
    deadline_s = time.monotonic() + within_s
    left = list(paths)
    while left := [path for path in left if not path.exists()]:
        if time.monotonic() > deadline_s:
            return False
        await asyncio.sleep(POLL_S)
    return True
