"""What is there of the logs, as files: their names, their broken lines, their ends."""

from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from analytics.inputs.folder import RunFolder
from analytics.inputs.log_files import LogSummary
from analytics.inputs.schemas import BROKEN

SHOWN = 20
"""Most broken lines that are looked at in one log."""


@dataclass(frozen=True, slots=True)
class Remains:
    """The files of the logs.

    Attributes:
        files: Each file's name, and its path inside the run folder.
        unended: The last line of each file that lacks its end.
        broken: The first broken lines of each file, counted from 1.
    """

    files: dict[str, str]
    unended: dict[str, int]
    broken: dict[str, frozenset[int]]


def look(folder: RunFolder, summary: LogSummary, logs: list[DataFrame]) -> Remains:
    """Look at the files of a run folder.

    Args:
        folder: The run.
        summary: States whether a line is broken at all.
        logs: The logs with their broken lines.
    """
    paths = {path.name: path for path in folder.logs}
    broken: dict[str, set[int]] = {}
    for log in logs if summary.broken else ():
        wrong = log.filter(fn.col(BROKEN).isNotNull()).select("file", BROKEN, "place")
        for row in wrong.orderBy("file", "place").limit(SHOWN).collect():
            line = _line_of(paths[row["file"]], row[BROKEN])
            broken.setdefault(row["file"], set()).add(line)
    ends = {name: _unended(path) for name, path in paths.items()}
    return Remains(
        files={name: path.relative_to(folder.path).as_posix() for name, path in paths.items()},
        unended={name: line for name, line in ends.items() if line},
        broken={name: frozenset(lines) for name, lines in broken.items()},
    )


def _unended(path: Path) -> int:
    """Return the last line of a file if it lacks its end, else 0."""
    with path.open("rb") as file:
        lines, last = 0, b"\n"
        while block := file.read(1 << 20):
            lines, last = lines + block.count(b"\n"), block[-1:]
    return 0 if last == b"\n" else lines + 1


def _line_of(path: Path, text: str) -> int:
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.rstrip(b"\n").decode("utf-8", errors="replace") == text:
                return number
    return 0
