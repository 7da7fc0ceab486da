"""Where a native observer writes what it sees: for people on standard output, or into a file.

Lines of a file carry `wall_us`, when each was written. A line of the kind `alive` comes once a
second: so whoever reads the file can report that nothing happened from nobody having looked.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TextIO

from serving.clocks import wall_us
from serving.ending import on_ending
from serving.output import show

from eventservices.ending import beside

ALIVE_S = 1.0
"""Time between two lines of the kind `alive`."""

MOST_BYTES = 256 * 2**20
"""Largest file; what is seen beyond is counted and not written."""


class Sightings:
    """Writes lines of JSON.

    Args:
        path: The file, which is appended to; standard output where None.
        most_bytes: Largest file.

    Attributes:
        left_out: Lines beyond the largest file.

    Raises:
        OSError: The file cannot be opened.
    """

    def __init__(self, path: Path | None, most_bytes: int = MOST_BYTES) -> None:
        self.left_out = 0
        self._most_bytes = most_bytes
        self._size = path.stat().st_size if path is not None and path.exists() else 0
        self._file: TextIO | None = None
        if path is not None:
            self._file = path.open("a", encoding="utf-8", buffering=1)

    def write(self, line: str) -> None:
        """Write one JSON object.

        Args:
            line: Without a line break.
        """
        if self._file is None:
            show(line)
            return
        stamped = f'{{"wall_us": {wall_us()}, {line[1:]}'
        if self._size + len(stamped) > self._most_bytes:
            self.left_out += 1
            return
        self._size += len(stamped) + 1
        self._file.write(stamped + "\n")

    def close(self) -> None:
        """Close the file; idempotent."""
        if self._file is not None:
            self._file.close()

    @asynccontextmanager
    async def alive(self) -> AsyncIterator[None]:
        """Write a line of the kind `alive` once a second and at the end, where there is a file."""
        try:
            async with beside(self._every(), "sightings"):
                yield
        finally:
            self._write_alive()  # it looked until now, not until a second ago
            self.close()

    async def _every(self) -> None:
        while self._file is not None:
            self._write_alive()
            await asyncio.sleep(ALIVE_S)

    def _write_alive(self) -> None:
        if self._file is not None:
            self.write(json.dumps(self._about()))

    def _about(self) -> dict[str, Any]:
        return {"seen": "alive", "left_out": self.left_out}


class Count(Sightings):
    """Counts notifications instead of writing each: `alive` carries how many came since the last.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._count = 0

    def add(self) -> None:
        """Count one."""
        self._count += 1

    def _about(self) -> dict[str, Any]:
        about = {**super()._about(), "notifications": self._count}
        self._count = 0
        return about


def ended_by_signals(task: asyncio.Task[Any] | None) -> None:
    """Cancel a task once the process is requested to end; nothing happens for None."""
    if task is not None:
        on_ending(lambda _: task.cancel())
