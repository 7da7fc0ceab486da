"""The verdict for people, and for programs."""

import csv
import json
from pathlib import Path

from traffic_control_events.judge.rows import KINDS, Row
from traffic_control_events.judge.verdict import Verdict

VERDICT = "verdict.json"
JOURNEY = "journey.csv"
EXAMPLES = 3
"""Most faults of a kind that are reported."""


def table(verdict: Verdict) -> str:
    """Return the verdict as a table, and what is wrong."""
    lines: list[tuple[str, ...]] = [("client", "asks for", "expected", "received", *KINDS)]
    lines += [
        (row.client, row.about, str(row.expected), str(row.received), *_counts(row))
        for row in verdict.rows
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = ["  ".join(_padded(cells, widths)).rstrip() for cells in lines]
    text += [told for row in verdict.rows for told in _faults(row)]
    return "\n".join([*text, f"verdict: {'pass' if verdict.passed else 'fail'}"])


def write(verdict: Verdict, folder: Path) -> None:
    """Write the verdict, and the journey second by second, into a run's folder."""
    rows = [
        {
            "client": row.client,
            "asks_for": row.about,
            "expected": row.expected,
            "received": row.received,
            **{kind: list(row.faults.get(kind, ())) for kind in KINDS},
        }
        for row in verdict.rows
    ]
    told = {"verdict": "pass" if verdict.passed else "fail", "clients": rows}
    (folder / VERDICT).write_text(json.dumps(told, indent=1) + "\n", "utf-8")
    with (folder / JOURNEY).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("time_us", "id", "rate", "in_range", "on_air", "in_city", "reported"))
        for step in verdict.journey:
            said, hearing = step.said, " ".join(sorted(step.hearing))
            came = (step.on_air, step.in_city, step.reported)
            writer.writerow((said.time_us, said.id, said.rate_mph, hearing, *map(int, came)))


def _counts(row: Row) -> tuple[str, ...]:
    return tuple(str(len(row.faults[kind])) if kind in row.faults else "-" for kind in KINDS)


def _padded(cells: tuple[str, ...], widths: list[int]) -> list[str]:
    return [
        cell.ljust(width) if column < 2 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]


def _faults(row: Row) -> list[str]:
    return [
        f"{row.client}: {kind}: {', '.join(named[:EXAMPLES])}{' …' * (len(named) > EXAMPLES)}"
        for kind, named in row.faults.items()
        if named
    ]
