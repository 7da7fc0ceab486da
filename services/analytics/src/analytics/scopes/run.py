"""A run with scopes: what its folder has is read, and each promise about scopes is judged."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from serving.files import write_whole

from analytics.errors import CannotJudgeError
from analytics.inputs.document import Document
from analytics.inputs.folder import LOGS, RunFolder
from analytics.scopes.declared import Reader
from analytics.scopes.graph import generations, graph_of
from analytics.scopes.judging import Judge
from analytics.scopes.log import Change, read_changes, read_lines, read_log_of_scopes
from analytics.scopes.natives import witnessed
from analytics.scopes.outcome import rule
from analytics.verdict import Promise


def declares_scopes(document: Document) -> bool:
    """Return whether a federation's file has scopes."""
    return bool(document.section("scopes"))


def run_of_scopes(path: Path) -> RunFolder:
    """Return a run folder that has a federation's file and event logs, whatever its scenario.

    Raises:
        CannotJudgeError: A file is missing, or the federation has no scopes.
    """
    folder = RunFolder(path.resolve())
    if not folder.federation.is_file():
        raise CannotJudgeError(folder.federation, 0, "is missing")
    if not folder.event_logs:
        raise CannotJudgeError(folder.path / LOGS, 0, "has no event log")
    if not declares_scopes(Document(folder.federation)):
        raise CannotJudgeError(folder.federation, 0, "has no scopes")
    return folder


def judge_folder(spark: SparkSession, folder: RunFolder) -> tuple[Promise, ...]:
    """Return what became of each promise about scopes in a run, and write `scopes.json` into it.

    Raises:
        CannotJudgeError: An input cannot be understood.
    """
    places = tuple(map(folder.uri, folder.event_logs))
    promises = judge_scopes(spark, folder.path, Document(folder.federation), places)
    told = {"promises": [asdict(promise) for promise in promises]}
    write_whole(folder.path / "scopes.json", json.dumps(told, indent=2, ensure_ascii=False) + "\n")
    return promises


def judge_scopes(
    spark: SparkSession, folder: Path, document: Document, places: tuple[str, ...]
) -> tuple[Promise, ...]:
    """Return what became of each promise about scopes; nothing where a federation has none.

    Args:
        spark: The session.
        folder: The run.
        document: The federation's file as it was run.
        places: The event logs, as Spark names them.

    Raises:
        CannotJudgeError: An input cannot be understood.
    """
    if not declares_scopes(document):
        return ()
    lines = read_lines(spark, places)
    applied = _Applied.of(read_changes(lines))
    reader = Reader()
    try:
        graphs = generations(graph_of(document, reader), applied.changes, reader)
    except (TypeError, AttributeError, ValueError) as error:
        raise CannotJudgeError(
            document.path, document.line("scopes"), f"scopes: {error}"
        ) from error
    sample = (document.section("event_log")).get("sample", 1.0)
    judge = Judge(
        graphs, applied.ended, speed=_speed(document), whole=not sample or float(sample) >= 1.0
    )
    judge.looked.unreadable = len(reader.unreadable)
    log = read_log_of_scopes(spark, lines, applied.times.items())
    doubt = applied.doubt
    if not doubt and not log.complete:
        doubt = "the event log has more kinds of deliveries than are judged"
    for row in log.deliveries:
        judge.delivery(row)
    for row in log.together:
        judge.together(row)
    for row in log.requests:
        judge.request(row)
    seen = witnessed(folder, graphs, frozenset(document.section("event_services")))
    return rule(graphs, judge.looked, judge.charges, seen, doubt)


def _speed(document: Document) -> float:
    speed = document.section("clock").get("speed", 1.0)
    number = isinstance(speed, int | float) and not isinstance(speed, bool) and speed > 0
    return float(speed) if number else 1.0


@dataclass(frozen=True, slots=True)
class _Applied:
    """Changes of scopes that gateways applied.

    Attributes:
        changes: In their order, from the first.
        times: When each gateway applied each, wall clock.
        ended: Scopes that ended.
        doubt: Why the scopes of the run are not known; empty where they are.
    """

    changes: list[dict[str, Any]]
    times: dict[str, list[int]]
    ended: frozenset[str]
    doubt: str

    @classmethod
    def of(cls, applied: Iterable[Change]) -> "_Applied":
        """Return what follows from the lines of all gateways."""
        known: dict[int, dict[str, Any]] = {}
        first: dict[str, dict[int, int]] = {}
        for line in applied:
            change = _declared(line)
            if change is None:
                return cls([], {}, frozenset(), "the event log does not have what changed")
            number = change["number"]
            known.setdefault(number, change)
            first.setdefault(line.gateway, {}).setdefault(number, line.wall_us)
        if sorted(known) != list(range(1, len(known) + 1)):
            return cls([], {}, frozenset(), "scopes were changed before these logs begin")
        changes = [known[number] for number in sorted(known)]
        times = {name: sorted(at.values()) for name, at in first.items()}
        ended = {
            each["scope"] for each in changes if not each.get("member") and not each.get("part")
        }
        return cls(changes, times, frozenset(ended), "")


def _declared(line: Change) -> dict[str, Any] | None:
    try:
        change = json.loads(line.declared)
    except ValueError:
        return None
    number = change.get("number") if isinstance(change, dict) else None
    return change if isinstance(number, int) else None
