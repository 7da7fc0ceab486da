"""A case: one federation whose highest rate is looked for."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from processes import Stage
from search import Sweep, sweep
from trial import run_trial, warm_up


@dataclass(frozen=True, slots=True)
class Case:
    """What is measured.

    Attributes:
        path: `traffic` or `pass-through`.
        vehicles: How many publish.
        start: Rate that the sweep begins with; events a second.
        far: What the far client speaks, `siena` or `steam`.
        write: Writes the federation into a folder and returns its file.
    """

    path: str
    vehicles: int
    start: float
    far: str
    write: Callable[[Path], Path]


@dataclass(frozen=True, slots=True)
class Result:
    """What was found.

    Attributes:
        case: Of this.
        found: The sweep and its repetitions.
    """

    case: Case
    found: Sweep


def measure(case: Case, budget_s: float) -> Result:
    """Measure a case in a federation of its own, in a folder that goes away.

    Args:
        case: What to measure.
        budget_s: What it may take, starting included.
    """
    end_s = time.monotonic() + budget_s
    with (
        TemporaryDirectory(prefix="fes-bench-") as folder,
        Stage(case.write(Path(folder)), case.far) as stage,
    ):
        warm_up(stage)
        found = sweep(lambda rate: run_trial(stage, rate), case.start, end_s - time.monotonic())
    return Result(case, found)
