"""What is shown: one table for people, one file for programs."""

import json
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from case import Result
from trial import Trial

RUNS = Path("runs/bench")
NOTES = (
    "From `broker` to `all`: CPU time for each event by process, microseconds.",
    "* lost or altered something, or was not drained within a second of the last frame.",
    "minimum, median, maximum: of the repetitions of the highest rate.",
)


def table(results: Sequence[Result]) -> str:
    """Return the results as a table: a line a trial, then the highest rate and its repetitions."""
    roles = _roles(results)
    head = ["path", "vehicles", "offered/s", "sent/s", "came/s", "lost", "dup", "alt"]
    head += ["p50 ms", "p99 ms", *roles, "all"]
    lines = [head, ["" for _ in head]]
    for result in results:
        start = [result.case.path, str(result.case.vehicles)]
        lines += [
            [*start, *_cells(trial, roles)]
            for trial in sorted(result.found.trials, key=lambda trial: trial.offered)
        ]
        lines += [[f"  {name}", "", *cells] for name, cells in _summary(result, roles)]
        lines.append(["" for _ in head])
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    rows = ["  ".join(_aligned(line, widths)).rstrip() for line in lines]
    return "\n".join([*rows, *NOTES, "", *_highest(results)])


def write(results: Sequence[Result], seconds: float, folder: Path = RUNS) -> Path:
    """Write the results, and what they were measured on, as JSON; return the file."""
    found = [_plain(one) for one in results]
    return keep("", {"took_s": round(seconds, 1), "results": found}, folder)


def keep(name: str, found: Mapping[str, Any], folder: Path = RUNS, *, v: int = 1) -> Path:
    """Write what was found, and what it was measured on, as JSON; return the file.

    Args:
        name: Of the benchmark, for the file's name after the time; "" for none.
        found: By name.
        folder: Made where it is not there.
        v: Version of the document's form.
    """
    folder.mkdir(parents=True, exist_ok=True)
    moment = time.strftime("%Y%m%d-%H%M%S")
    path = folder / ("-".join(filter(None, (moment, name))) + ".json")
    document = {"v": v, "machine": machine(), **found}
    path.write_text(json.dumps(document, indent=1), "utf-8")
    return path


def machine() -> dict[str, Any]:
    """Return what the figures were measured on."""
    model = ""
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = names[0].partition(":")[2].strip() if names else ""
    return {
        "cpus": len(os.sched_getaffinity(0)),
        "model": model,
        "system": platform.platform(),
        "python": platform.python_version(),
        "load": os.getloadavg()[0],
    }


def _summary(result: Result, roles: Sequence[str]) -> list[tuple[str, list[str]]]:
    repeats = result.found.repeats
    if not repeats:
        return []
    kinds: list[tuple[str, Callable[[Sequence[float]], float]]] = [
        ("minimum", min),
        ("median", statistics.median),
        ("maximum", max),
    ]
    return [(name, _combined(repeats, roles, choose)) for name, choose in kinds]


def _combined(
    repeats: Sequence[Trial], roles: Sequence[str], choose: Callable[[Sequence[float]], float]
) -> list[str]:
    columns = zip(*(_figures(trial, roles) for trial in repeats), strict=True)
    cells = _formatted([choose(column) for column in columns])
    return cells if all(trial.passed for trial in repeats) else [cells[0] + "*", *cells[1:]]


def _cells(trial: Trial, roles: Sequence[str]) -> list[str]:
    cells = _formatted(_figures(trial, roles))
    return cells if trial.passed else [cells[0] + "*", *cells[1:]]


def _figures(trial: Trial, roles: Sequence[str]) -> list[float]:
    verdict = trial.verdict
    return [
        *(trial.offered, trial.rate, trial.throughput),
        *(verdict.lost, verdict.duplicate + trial.suppressed, verdict.altered),
        *(verdict.p50_ms, verdict.p99_ms),
        *(trial.cpu_us.get(role, 0.0) for role in roles),
        sum(trial.cpu_us.values()),
    ]


def _formatted(figures: Sequence[float]) -> list[str]:
    counts = [f"{figure:.0f}" for figure in figures[:6]]
    return counts + [f"{figure:.1f}" for figure in figures[6:8]] + [f"{f:.0f}" for f in figures[8:]]


def _aligned(line: Sequence[str], widths: Sequence[int]) -> list[str]:
    left = line[0].ljust(widths[0])
    return [left, *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]


def _highest(results: Sequence[Result]) -> list[str]:
    return [
        f"highest rate without loss, {result.case.path}, vehicles {result.case.vehicles}: "
        f"{result.found.highest:.0f} events a second"
        + ("" if result.found.repeated else " (not confirmed three times)")
        for result in results
    ]


def _roles(results: Sequence[Result]) -> list[str]:
    roles: dict[str, None] = {}
    for result in results:
        for trial in (*result.found.trials, *result.found.repeats):
            roles.update(dict.fromkeys(trial.cpu_us))
    last = [role for role in ("can-sim", "consumer", "fes run") if role in roles]
    return sorted(role for role in roles if role not in last) + last


def _plain(result: Result) -> dict[str, Any]:
    return {
        "path": result.case.path,
        "vehicles": result.case.vehicles,
        "highest_per_s": round(result.found.highest, 1),
        "repeated": result.found.repeated,
        "sweep": [_plain_trial(trial) for trial in result.found.trials],
        "repeats": [_plain_trial(trial) for trial in result.found.repeats],
    }


def _plain_trial(trial: Trial) -> dict[str, Any]:
    return {
        "offered_per_s": round(trial.offered, 1),
        "sent_per_s": round(trial.rate, 1),
        "came_per_s": round(trial.throughput, 1),
        "passed": trial.passed,
        "suppressed": trial.suppressed,
        "cpu_us": {role: round(used, 1) for role, used in trial.cpu_us.items()},
        **asdict(trial.verdict),
    }
