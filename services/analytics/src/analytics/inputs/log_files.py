"""A summary of the logs: which components a run has, and what each file contains about them."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as fn

from analytics.inputs.folder import numbered
from analytics.inputs.schemas import BROKEN


@dataclass(frozen=True, slots=True)
class Component:
    """When a gateway or an adapter started and stopped, wall clock; 0 where it never said so."""

    started_us: int
    stopped_us: int

    @property
    def stopped(self) -> bool:
        """Whether the last that it said of itself is that it stopped."""
        return self.stopped_us >= self.started_us > 0


@dataclass(frozen=True, slots=True)
class LogSummary:
    """What the logs hold.

    Attributes:
        components: By name.
        processes: Names of the components of each process.
        broken: Names of the files that hold broken lines.
        last_us: Wall clock of the last line of each file.
    """

    components: dict[str, Component]
    processes: dict[str, frozenset[str]]
    broken: frozenset[str]
    last_us: dict[str, int]

    @classmethod
    def empty(cls) -> "LogSummary":
        """Return the summary of no logs at all."""
        return cls({}, {}, frozenset(), {})

    def last_record_us(self) -> int:
        """Return the wall clock of the last record of all event logs; 0 if there is none."""
        return max((at for file, at in self.last_us.items() if numbered(Path(file))[0]), default=0)

    def joined(self, other: "LogSummary") -> "LogSummary":
        """Return what both tell together."""
        names = {**self.processes, **other.processes}
        none = frozenset[str]()
        return LogSummary(
            components=_latest([*self.components.items(), *other.components.items()]),
            processes={
                process: self.processes.get(process, none) | other.processes.get(process, none)
                for process in names
            },
            broken=self.broken | other.broken,
            last_us={
                file: max(self.last_us.get(file, 0), other.last_us.get(file, 0))
                for file in {**self.last_us, **other.last_us}
            },
        )


def summarise(event_log: DataFrame, others: list[DataFrame]) -> LogSummary:
    """Count components and files, in one pass.

    Args:
        event_log: The event log with its broken lines.
        others: The other logs with their broken lines and a column `wall_us`.
    """
    rows = _counted(event_log)
    for log in others:
        nameless = log.withColumns({"decision": fn.lit(""), "name": fn.lit("")})
        rows = rows.unionByName(_counted(nameless))
    found = rows.collect()
    named = [
        (row["name"], Component(row["started"], row["stopped"])) for row in found if row["name"]
    ]
    return LogSummary(_latest(named), _processes(found), _broken_files(found), _last(found))


def _counted(log: DataFrame) -> DataFrame:
    def last(decision: str) -> Column:
        at = fn.max(fn.when(fn.col("decision") == decision, fn.col("wall_us")))
        return fn.coalesce(at, fn.lit(0)).alias(decision)

    return log.groupBy("file", "name").agg(
        fn.count(BROKEN).alias("broken"),
        fn.coalesce(fn.max("wall_us"), fn.lit(0)).alias("last_us"),
        last("started"),
        last("stopped"),
    )


def _latest(named: list[tuple[str, Component]]) -> dict[str, Component]:
    found: dict[str, Component] = {}
    for name, one in named:
        known = found.get(name, Component(0, 0))
        found[name] = Component(
            max(known.started_us, one.started_us), max(known.stopped_us, one.stopped_us)
        )
    return found


def _processes(rows: list[Row]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row["name"]:
            found[numbered(Path(row["file"]))[0]].add(row["name"])
    return {process: frozenset(names) for process, names in found.items()}


def _broken_files(rows: list[Row]) -> frozenset[str]:
    return frozenset(row["file"] for row in rows if row["broken"])


def _last(rows: list[Row]) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in rows:
        found[row["file"]] = max(found.get(row["file"], 0), row["last_us"])
    return found
