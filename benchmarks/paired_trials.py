"""Trials of one installed clone, each when standard input requests it; see `paired.py`.

    PYTHONPATH=CLONE/benchmarks CLONE/.venv/bin/python -P paired_trials.py PATH

So the modules are those of that clone's own benchmarks. A line of standard input is a rate; a line
of standard output is what became of it.
"""

import json
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from federation import write_passthrough, write_traffic
from processes import Stage
from trial import run_trial, warm_up

Writes = Callable[[Path], Path]
"""Writes a federation into a folder, and returns its file."""

PATHS: dict[str, tuple[Writes, str]] = {
    "pass-through": (write_passthrough, "steam"),
    "traffic": (partial(write_traffic, vehicles=5), "siena"),
}


def main(path: str) -> None:
    """Start the federation of a path, and offer it each rate that is requested."""
    for number in (signal.SIGINT, signal.SIGTERM):  # what was started ends then, too
        signal.signal(number, lambda *_: sys.exit(1))
    write, far = PATHS[path]
    with (
        TemporaryDirectory(prefix="fes-bench-") as folder,
        Stage(write(Path(folder)), far) as stage,
    ):
        warm_up(stage)
        print(json.dumps({"ready": True}), flush=True)
        for line in sys.stdin:
            trial = run_trial(stage, float(line))
            found = {"passed": trial.passed, "came": trial.throughput, "cpu_us": trial.cpu_us}
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
