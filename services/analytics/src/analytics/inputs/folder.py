"""The files of a run folder."""

import csv
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analytics.errors import CannotJudgeError

FEDERATION = "federation.yaml"
TRACE = "trace.csv"
TRUTH = "ground_truth.jsonl"
COMMANDS = "commands.jsonl"
DELIVERIES = "offenders.jsonl"
OUTAGES = "outages.jsonl"
LOGS = "logs"

_EVENT_LOG = re.compile(r"eventlog-(?P<process>.+)\.(?P<number>\d+)\.jsonl")


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Where a run left its files.

    Attributes:
        path: The folder itself, or a copy of it on this machine.
        origin: Where Spark reads the logs, if not there: a URI.
    """

    path: Path
    origin: str = ""

    def uri(self, path: Path) -> str:
        """Return what Spark calls one of the files."""
        inside = path.relative_to(self.path).as_posix()
        return f"{self.origin or f'file://{self.path}'}/{inside}"

    @property
    def federation(self) -> Path:
        """The federation as run."""
        return self.path / FEDERATION

    @property
    def trace(self) -> Path:
        """What the fleet did."""
        return self.path / TRACE

    @property
    def truth(self) -> Path:
        """The frames that were put on a bus."""
        return self.path / TRUTH

    @property
    def commands(self) -> Path:
        """What the city requested."""
        return self.path / COMMANDS

    @property
    def deliveries(self) -> Path:
        """What the city's native client was given."""
        return self.path / DELIVERIES

    @property
    def outages(self) -> Path:
        """What was cut, written by whoever cut it; may be absent."""
        return self.path / OUTAGES

    @property
    def event_logs(self) -> tuple[Path, ...]:
        """The event logs, sorted by process and number."""
        found = [path for path in (self.path / LOGS).glob("eventlog-*.jsonl") if numbered(path)[0]]
        return tuple(sorted(found, key=numbered))

    @property
    def logs(self) -> tuple[Path, ...]:
        """All files of JSON lines that must be whole."""
        outages = (self.outages,) if self.outages.exists() else ()
        return (self.truth, self.commands, self.deliveries, *outages, *self.event_logs)

    def size_bytes(self) -> int:
        """Return how long the event logs are together."""
        return sum(path.stat().st_size for path in self.event_logs)


def open_folder(path: Path, origin: str = "") -> RunFolder:
    """Return the run folder at `path`.

    Args:
        path: On this machine.
        origin: Where Spark reads the logs, if not there.

    Raises:
        CannotJudgeError: A file that every run leaves is not there.
    """
    folder = RunFolder(path.resolve(), origin)
    if not folder.path.is_dir():
        raise CannotJudgeError(path, 0, "is not a run folder")
    required = (folder.federation, folder.trace, folder.truth, folder.commands, folder.deliveries)
    for file in required:
        if not file.is_file():
            raise CannotJudgeError(file, 0, "is missing")
    if not folder.event_logs:
        raise CannotJudgeError(folder.path / LOGS, 0, "holds no event log")
    return folder


def numbered(path: Path) -> tuple[str, int]:
    """Return the process and the number of an event log; ("", 0) if it is none."""
    match = _EVENT_LOG.fullmatch(path.name)
    return (match["process"], int(match["number"])) if match else ("", 0)


def licences(path: Path) -> dict[str, str]:
    """Return each vehicle's licence, from the trace.

    Raises:
        CannotJudgeError: The trace is not text or no CSV, lacks a column or a cell, or tells a
            place that is none.
    """
    found: dict[str, str] = {}
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        try:
            for row in rows:
                found[row["vehicle"]] = row["licence"]
                if None in row.values() or not _is_place(row["lat"], row["lon"]):
                    raise CannotJudgeError(path, rows.line_num, "lacks a cell, or lat or lon")
        except KeyError as error:
            raise CannotJudgeError(path, 1, f"has no column {error}") from error
        except UnicodeDecodeError as error:
            raise CannotJudgeError(path, _line_of_garbage(path), "is not UTF-8") from error
        except csv.Error as error:
            raise CannotJudgeError(path, rows.line_num + 1, f"is not CSV: {error}") from error
    return found


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a small file of JSON lines, each with its line, counted from 1.

    A last line without its end is left to whoever judges whether the logs are whole.

    Raises:
        CannotJudgeError: Another line is not JSON object.
    """
    lines = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield number, json_object(path, number, line)
            except CannotJudgeError as error:
                if number == len(lines) and isinstance(error.__cause__, ValueError):
                    return
                raise


def json_object(path: Path, number: int, line: bytes | str) -> dict[str, Any]:
    """Return the object on one line of a file.

    Raises:
        CannotJudgeError: The line is not JSON object.
    """
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CannotJudgeError(path, number, "is not JSON") from error
    if not isinstance(value, dict):
        raise CannotJudgeError(path, number, "is not a JSON object")
    return value


def _is_place(lat: str, lon: str) -> bool:
    try:
        return math.isfinite(float(lat)) and math.isfinite(float(lon))
    except ValueError:
        return False


def _line_of_garbage(path: Path) -> int:
    """Return the line of a file that is not UTF-8, counted from 1."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return 0
