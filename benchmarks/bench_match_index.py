"""The match index: what an event costs among 1,000 to 1,000,000 filters.

Each size and spread is a process of its own, so that its memory can be told.
"""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import log

from index_trial import SPREADS, WORKLOADS, run
from report import keep

SIZES = (1_000, 10_000, 100_000, 1_000_000)
TIMEOUT_S = 180.0


@dataclass(frozen=True)
class Row:
    """What one process measured; times in microseconds are of one event."""

    workload: str
    spread: str
    filters: int
    build_s: float
    mib: float
    matching: float
    destinations: float
    us: float
    us_p99: float
    verified: int


def show() -> int:
    """Measure, print the table and write the file; return the exit status."""
    begun_s = time.monotonic()
    rows = measure()
    took_s = time.monotonic() - begun_s
    print(table(rows))
    path = keep("index", {"took_s": round(took_s, 1), "results": [asdict(row) for row in rows]})
    print(f"\n{took_s:.0f} s; written to {path}\n")
    return 0


def measure(sizes: Sequence[int] = SIZES) -> list[Row]:
    """Measure every size; each exactly the destinations that asking every filter gives."""
    return [
        Row(**json.loads(_process(workload, spread, size)))
        for workload in WORKLOADS
        for spread in SPREADS
        for size in sizes
    ]


def table(rows: Sequence[Row]) -> str:
    """Return the rows as a table, and how the cost grows."""
    head = ("filters led by", "spread", "filters", "build s", "MiB", "matching", "goes to")
    lines = [[*head, "µs", "µs p99"]]
    lines += [
        [
            *(row.workload, row.spread, f"{row.filters:,}", f"{row.build_s:.2f}", f"{row.mib:.0f}"),
            *(f"{row.matching:.3%}", f"{row.destinations:.0f}", f"{row.us:.1f}"),
            f"{row.us_p99:.1f}",
        ]
        for row in rows
    ]
    widths = [max(len(line[at]) for line in lines) for at in range(len(lines[0]))]
    shown = [
        "  ".join(
            cell.ljust(width) if at < 2 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    ]
    return "\n".join([*shown, *_growth(rows)])


def _growth(rows: Sequence[Row]) -> list[str]:
    told = []
    for workload in WORKLOADS:
        for spread in SPREADS:
            of = [row for row in rows if (row.workload, row.spread) == (workload, spread)]
            if len(of) > 1:
                power = log(of[-1].us / of[0].us) / log(of[-1].filters / of[0].filters)
                told.append(f"{workload}, {spread}: the cost grows by the power {power:.2f}")
    return told


def _process(workload: str, spread: str, size: int) -> str:
    command = [sys.executable, __file__, workload, spread, str(size)]
    done = subprocess.run(command, check=True, timeout=TIMEOUT_S, capture_output=True, text=True)
    return done.stdout


def main() -> int:
    """Measure one case for the process that asks, or all of them."""
    if len(sys.argv) == 4:
        workload, spread, size = sys.argv[1:]
        print(json.dumps(run(workload, spread, int(size))))
        return 0
    return show()


if __name__ == "__main__":
    sys.exit(main())
