"""Trials of one installed clone, each when standard input requests it; see `paired.py`.

    CLONE/.venv/bin/python paired_trials.py CLONE/benchmarks PATH

Imports the modules of that clone's own benchmarks. A line of standard input is a rate; a line of
standard output is what became of it.
"""

import json
import signal
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def main(modules: str, path: str) -> None:
    """Start the federation of a path, and offer it each rate that is requested."""
    for number in (signal.SIGINT, signal.SIGTERM):  # what was started ends then, too
        signal.signal(number, lambda *_: sys.exit(1))
    sys.path[0] = modules
    from federation import write_passthrough, write_traffic  # noqa: PLC0415 - of that clone
    from processes import Stage  # noqa: PLC0415 - of that clone
    from trial import run_trial, warm_up  # noqa: PLC0415 - of that clone

    paths: dict[str, tuple[Callable[[Path], Path], str]] = {
        "pass-through": (write_passthrough, "steam"),
        "traffic": (partial(write_traffic, vehicles=5), "siena"),
    }
    write, far = paths[path]
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
    main(*sys.argv[1:3])
