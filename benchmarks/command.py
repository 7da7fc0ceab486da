"""The command that measures cases, shows one table and writes one file."""

import argparse
import signal
import sys
import time
from collections.abc import Callable, Sequence
from types import FrameType

from case import Case, Result, measure
from processes import NotStartedError
from report import table, write

SIGNALS = (signal.SIGINT, signal.SIGTERM)
SECONDS = 165.0
"""What all benchmarks may take together."""

LEAST_S = 60.0
"""What is left for these in any case."""


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return what the command line says; `--help` and what is wrong with it end the process."""
    parser = argparse.ArgumentParser(
        description="Measure the federation; benchmarks/README.md says how."
    )
    help_ = "what all cases may take together (default %(default)s)"
    parser.add_argument("--seconds", type=float, default=SECONDS, help=help_)
    return parser.parse_args(arguments)


def main(cases: Sequence[Case], first: Callable[[], object] | None = None) -> int:
    """Measure, print one table and write one file; what was started ends on Ctrl-C too.

    Args:
        cases: What to measure; they share the time evenly.
        first: Another benchmark, run before these and from the same time.

    Returns:
        Exit status: 0; 1 where a case carried no rate at all, or a process did not start; 130
        where interrupted.
    """
    seconds, begun_s = options().seconds, time.monotonic()
    if first is not None:
        first()
    limit_s = max(LEAST_S, seconds - (time.monotonic() - begun_s))
    for number in SIGNALS:
        signal.signal(number, _interrupt)
    begun_s = time.monotonic()
    results: list[Result] = []
    try:
        for done, case in enumerate(cases):
            left_s = limit_s - (time.monotonic() - begun_s)
            results.append(measure(case, left_s / (len(cases) - done)))
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130
    except NotStartedError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    seconds = time.monotonic() - begun_s
    print(table(results))
    print(f"\n{seconds:.0f} s; written to {write(results, seconds)}")
    return 0 if all(result.found.highest for result in results) else 1


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)  # once is enough: now all that was started is ended
    raise KeyboardInterrupt
