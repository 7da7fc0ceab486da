"""A run folder that grows, as the run goes on whose files are already there in whole."""

import json
import shutil
from pathlib import Path

FOREVER_US = 2**62


class Growing:
    """Copies a finished run line by line, in the order of the wall clock.

    Args:
        whole: The finished run.
        path: The folder that grows.
    """

    def __init__(self, whole: Path, path: Path) -> None:
        self.path = path
        (path / "logs").mkdir(parents=True)
        for name in ("federation.yaml", "trace.csv"):
            shutil.copy(whole / name, path / name)
        self._rest = {file.relative_to(whole): _timed(file) for file in whole.rglob("*.jsonl")}

    def grow(self, until_us: int = FOREVER_US) -> None:
        """Add all lines up to a time by the wall clock; all that are left where none is given."""
        for name, lines in self._rest.items():
            with (self.path / name).open("ab") as file:
                while lines and lines[0][0] <= until_us:
                    file.write(lines.pop(0)[1])


def _timed(file: Path) -> list[tuple[int, bytes]]:
    """Return each line with the time at which it is written, as far as it tells."""
    found, at_us = [], 0
    for line in file.read_bytes().splitlines(keepends=True):
        record = json.loads(line)
        told = [record.get(name) for name in ("wall_us", "applied_us", "sent_us", "to_us")]
        at_us = max(at_us, next((us for us in told if us), 0))
        found.append((at_us, line))
    return found
