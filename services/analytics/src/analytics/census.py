"""The census: which files and components a run has, and whether their logs are whole."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as fn

from analytics.federation import Federation
from analytics.folder import RunFolder, numbered
from analytics.outages import FOREVER_US, Outage
from analytics.schemas import BROKEN
from analytics.verdict import Example

LATE_US = 5_000_000
"""So long after the last record of the event logs no frame may be sent."""

_SHOWN = 20


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
class Census:
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

    def last_record_us(self) -> int:
        """Return the wall clock of the last record of all event logs; 0 if there is none."""
        return max((at for file, at in self.last_us.items() if numbered(Path(file))[0]), default=0)


def take_census(event_log: DataFrame, others: list[DataFrame]) -> Census:
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
    return Census(_components(found), _processes(found), _broken_files(found), _last(found))


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


def _components(rows: list[Row]) -> dict[str, Component]:
    found: dict[str, Component] = {}
    for row in rows:
        if row["name"]:
            known = found.get(row["name"], Component(0, 0))
            found[row["name"]] = Component(
                max(known.started_us, row["started"]), max(known.stopped_us, row["stopped"])
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


def incomplete(
    folder: RunFolder,
    census: Census,
    federation: Federation,
    outages: tuple[Outage, ...],
    logs: list[DataFrame],
) -> list[Example]:
    """Name what is missing of the logs: broken lines, lost ends, silent components, lost files."""
    return [
        *_torn(folder, census, outages, logs),
        *_silent(census, federation, outages),
        *_gaps(folder),
        *_late(folder, census),
    ]


def _torn(
    folder: RunFolder, census: Census, outages: tuple[Outage, ...], logs: list[DataFrame]
) -> list[Example]:
    places = {path: _unended(path) for path in folder.logs}
    broken = {path: {line} if line else set[int]() for path, line in places.items()}
    by_name = {path.name: path for path in folder.logs}
    for log in logs if census.broken else ():
        wrong = log.filter(fn.col(BROKEN).isNotNull()).select("file", BROKEN, "place")
        for row in wrong.orderBy("file", "place").limit(_SHOWN).collect():
            path = by_name[row["file"]]
            broken[path].add(_line_of(path, row[BROKEN]))
    return [
        Example(f"{path.relative_to(folder.path)}:{line}", "", _why(path, line, places[path]))
        for path, lines in broken.items()
        for line in sorted(lines)[_excused(path, folder, census, outages, lines) :]
    ]


def _why(path: Path, line: int, unended: int) -> str:
    return f"{path.name} is cut short here" if line == unended else f"{path.name} has a broken line"


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


def _excused(
    path: Path, folder: RunFolder, census: Census, outages: tuple[Outage, ...], lines: set[int]
) -> int:
    """Return how many torn lines the kills of a process excuse.

    None at the end of its last file: what was killed and came back wrote on.
    """
    process, number = numbered(path)
    inside = census.processes.get(process, frozenset())
    kills = {(one.gateway, one.from_us) for one in outages if one.killed and one.gateway in inside}
    later = any(
        numbered(other) > (process, number)
        for other in folder.event_logs
        if numbered(other)[0] == process
    )
    torn_end = max(lines, default=0) == _unended(path) != 0
    return min(len(kills), len(lines) - (torn_end and not later))


def _silent(census: Census, federation: Federation, outages: tuple[Outage, ...]) -> list[Example]:
    down = {one.gateway for one in outages if one.to_us == FOREVER_US}
    wanted = {name: name for name in federation.gateways}
    wanted |= {adapter.name: adapter.gateway for adapter in federation.adapters}
    found = []
    for name, gateway in sorted(wanted.items()):
        component = census.components.get(name, Component(0, 0))
        if component.started_us == 0:
            found.append(Example(f"logs of {name}", name, "has no record that it started"))
        elif not component.stopped and gateway not in down:
            found.append(Example(f"logs of {name}", name, "has no record that it stopped"))
    return found


def _gaps(folder: RunFolder) -> list[Example]:
    numbers: dict[str, list[int]] = defaultdict(list)
    for path in folder.event_logs:
        process, number = numbered(path)
        numbers[process].append(number)
    return [
        Example(f"logs/eventlog-{process}.{number}.jsonl", "", "is missing between two others")
        for process, known in numbers.items()
        for number in sorted(set(range(min(known), max(known))) - set(known))
    ]


def _late(folder: RunFolder, census: Census) -> list[Example]:
    truth = census.last_us.get(folder.truth.name, 0)
    late_us = truth - census.last_record_us()
    if late_us <= LATE_US:
        return []
    reason = f"the event logs end {late_us / 1e6:.1f} s before the last frame was sent"
    return [Example(folder.truth.name, "", reason)]
