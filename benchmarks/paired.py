"""This version against another one, in turns on the same machine.

    git clone . ../before && git -C ../before checkout COMMIT && make -C ../before .venv/.installed
    .venv/bin/python benchmarks/paired.py ../before

Both federations run all the time; the rates are offered to one and the other in turns, two seconds
each, so that what else the machine does concerns both alike.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from report import keep

HERE: Final = Path(__file__).resolve().parent
RATES: Final = {"pass-through": 4000.0, "traffic": 2500.0}
"""Path to the rate offered: about half of what two cores carry; events a second."""

ROUNDS: Final = 9

Cost = Callable[[dict[str, Any]], float]
"""What a trial used for each event, microseconds."""

OTHERS: Final = ("broker", "can-sim", "consumer", "fes run")
"""Roles of processes that are no gateways."""


class Version:
    """The federation of one clone, which is offered rates.

    Args:
        clone: Folder of the clone, installed.
        path: What is measured.
    """

    def __init__(self, clone: Path, path: str) -> None:
        self._clone = clone
        python, script = clone / ".venv/bin/python", HERE / "paired_trials.py"
        self._process = subprocess.Popen(
            [str(python), "-P", str(script), path],
            cwd=clone,
            env={**os.environ, "PYTHONPATH": str(clone / "benchmarks")},
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._answers = iter(self._process.stdout or ())

    def __enter__(self) -> Self:
        """Wait until events come through.

        Raises:
            SystemExit: They do not.
        """
        self._answer()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the federation."""
        self._process.communicate()

    def trial(self, rate: float) -> dict[str, Any]:
        """Offer a rate; return what became of it."""
        print(rate, file=self._process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        line = next(self._answers, "")
        if not line:
            raise SystemExit(f"the federation of {self._clone} ended; see above")
        answer: dict[str, Any] = json.loads(line)
        return answer


def compare(before: Path, path: str, rounds: int) -> dict[str, Any]:
    """Return what both versions used for each event of a path, and the ratios of the rounds."""
    found: dict[str, list[dict[str, Any]]] = {"before": [], "now": []}
    with ExitStack() as stack:
        versions = {
            "before": stack.enter_context(Version(before, path)),
            "now": stack.enter_context(Version(HERE.parent, path)),
        }
        for number in range(rounds):
            names = ("before", "now") if number % 2 else ("now", "before")
            for name in names:
                found[name].append(versions[name].trial(RATES[path]))
    return {
        "path": path,
        "rate": RATES[path],
        "passed": {name: sum(each["passed"] for each in found[name]) for name in found},
        "gateways_us": {name: statistics.median(map(_gateways, found[name])) for name in found},
        "all_us": {name: statistics.median(map(_all, found[name])) for name in found},
        "ratio_gateways": _ratios(found, _gateways),
        "ratio_all": _ratios(found, _all),
    }


def _gateways(trial: dict[str, Any]) -> float:
    return float(sum(used for role, used in trial["cpu_us"].items() if not role.startswith(OTHERS)))


def _all(trial: dict[str, Any]) -> float:
    return float(sum(trial["cpu_us"].values()))


def _ratios(found: dict[str, list[dict[str, Any]]], cost: Cost) -> list[float]:
    """Return median, least and greatest of what this version used over the other one."""
    pairs = zip(found["before"], found["now"], strict=True)
    ratios = [cost(now) / cost(before) for before, now in pairs]
    return [round(each(ratios), 3) for each in (statistics.median, min, max)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print a line for each path, and write one file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("before", type=Path, help="an installed clone of the other version")
    help_ = "trials of each version and path (default %(default)s)"
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=help_)
    options = parser.parse_args(arguments)
    rows = [compare(options.before.resolve(), path, options.rounds) for path in RATES]
    for row in rows:
        print(
            f"{row['path']} at {row['rate']:.0f}/s: CPU time for each event, microseconds: gateways"
            f" {row['gateways_us']['before']:.0f} before, {row['gateways_us']['now']:.0f} now"
            f" (ratio {row['ratio_gateways'][0]}, {row['ratio_gateways'][1]} to"
            f" {row['ratio_gateways'][2]}); all {row['all_us']['before']:.0f} before,"
            f" {row['all_us']['now']:.0f} now (ratio {row['ratio_all'][0]}); passed"
            f" {row['passed']['before']} and {row['passed']['now']} of {options.rounds}"
        )
    print(f"written to {keep('paired', {'rounds': options.rounds, 'results': rows})}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
