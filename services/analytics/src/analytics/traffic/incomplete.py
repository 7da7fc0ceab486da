"""What is missing of the logs: broken lines, lost ends, silent components, lost files."""

from collections import defaultdict
from pathlib import Path

from analytics.inputs.federation import Federation
from analytics.inputs.folder import TRUTH, numbered
from analytics.inputs.log_files import Component, LogSummary
from analytics.inputs.outages import FOREVER_US, Outage
from analytics.inputs.remains import Remains
from analytics.verdict import Example

LATE_US = 5_000_000
"""So long after the last record of the event logs no frame may be sent."""


def incomplete(
    remains: Remains,
    summary: LogSummary,
    federation: Federation,
    outages: tuple[Outage, ...],
    *,
    running: bool = False,
) -> list[Example]:
    """Name what is missing of the logs.

    Args:
        remains: The files as they are.
        summary: What they contain.
        federation: States who must have written.
        outages: May excuse.
        running: The run goes on: who is silent may yet speak, and what was written may not have
            been read.
    """
    found = [*_torn(remains, summary, outages), *_gaps(remains)]
    if running:
        return found
    return [*found, *_silent(summary, federation, outages), *_late(summary)]


def _torn(remains: Remains, summary: LogSummary, outages: tuple[Outage, ...]) -> list[Example]:
    found: list[Example] = []
    for name, path in remains.files.items():
        end = remains.unended.get(name, 0)
        lines = set(remains.broken.get(name, ())) | ({end} if end else set())
        named = sorted(lines)[_excused(name, remains, summary, outages, lines) :]
        found.extend(Example(f"{path}:{line}", "", _why(name, line, end)) for line in named)
    return found


def _why(name: str, line: int, unended: int) -> str:
    return f"{name} is cut short here" if line == unended else f"{name} has a broken line"


def _excused(
    name: str, remains: Remains, summary: LogSummary, outages: tuple[Outage, ...], lines: set[int]
) -> int:
    """Return how many torn lines the kills of a process excuse.

    None at the end of its last file: what was killed and came back wrote on.
    """
    process, number = numbered(Path(name))
    inside = summary.processes.get(process, frozenset())
    kills = {(one.gateway, one.from_us) for one in outages if one.killed and one.gateway in inside}
    others = [numbered(Path(other)) for other in remains.files]
    later = any(one == process and place > number for one, place in others)
    torn_end = max(lines, default=0) == remains.unended.get(name, 0) != 0
    return min(len(kills), len(lines) - (torn_end and not later))


def _silent(
    summary: LogSummary, federation: Federation, outages: tuple[Outage, ...]
) -> list[Example]:
    down = {one.gateway for one in outages if one.to_us == FOREVER_US}
    wanted = {name: name for name in federation.gateways}
    wanted |= {adapter.name: adapter.gateway for adapter in federation.adapters}
    found = []
    for name, gateway in sorted(wanted.items()):
        component = summary.components.get(name, Component(0, 0))
        if component.started_us == 0:
            found.append(Example(f"logs of {name}", name, "has no record that it started"))
        elif not component.stopped and gateway not in down:
            found.append(Example(f"logs of {name}", name, "has no record that it stopped"))
    return found


def _gaps(remains: Remains) -> list[Example]:
    numbers: dict[str, list[int]] = defaultdict(list)
    for name in remains.files:
        process, number = numbered(Path(name))
        if process:
            numbers[process].append(number)
    return [
        Example(f"logs/eventlog-{process}.{number}.jsonl", "", "is missing between two others")
        for process, known in numbers.items()
        for number in sorted(set(range(min(known), max(known))) - set(known))
    ]


def _late(summary: LogSummary) -> list[Example]:
    late_us = summary.last_us.get(TRUTH, 0) - summary.last_record_us()
    if late_us <= LATE_US:
        return []
    reason = f"the event logs end {late_us / 1e6:.1f} s before the last frame was sent"
    return [Example(TRUTH, "", reason)]
