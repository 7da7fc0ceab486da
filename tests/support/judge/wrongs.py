"""Small alterations of the files of a run folder, by hand as it were."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.judge.runs import Line, read_lines, write_lines


def edit(path: Path, change: Callable[[list[Line]], None]) -> None:
    """Read a file of JSON lines, let `change` alter the list in place, and write it back."""
    lines = read_lines(path)
    change(lines)
    write_lines(path, lines)


def event_log_of(run: Path, name: str) -> Path:
    """Return the event log that holds the lines of a component."""
    logs = sorted((run / "logs").glob("eventlog-*.jsonl"))
    return next(log for log in logs if any(line["name"] == name for line in read_lines(log)))


def index_of(lines: list[Line], **members: Any) -> int:
    """Return where the first line with these members stands."""
    wanted = members.items()
    return next(i for i, line in enumerate(lines) if wanted <= _flat(line).items())


def _flat(line: Line) -> Line:
    return {key: value for key, value in line.items() if not isinstance(value, list)}


def told_names(run: Path) -> dict[str, list[str]]:
    """Return, for each delivered event, the monitors' gateways that published it."""
    found: dict[str, list[str]] = {}
    for log in (run / "logs").glob("eventlog-*.jsonl"):
        for line in read_lines(log):
            if line["decision"] == "published" and line["to"] == "siena-m":
                found.setdefault(line["id"], []).append(line["name"].split(".")[0])
    return found
