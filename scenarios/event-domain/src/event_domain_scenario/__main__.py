"""The command `fes-event-domain`."""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from serving.command import command
from serving.parser import LineParser

from event_domain_scenario.errors import ScenarioError
from event_domain_scenario.playing import Check, run

FAILED = 1
BROKEN = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the scenario and judge it.

    Args:
        arguments: Of the command line; the process's own where None.

    Returns:
        0 where everything is as it must be; 1 where something is not; 2 where it cannot be played.
    """
    return command("fes-event-domain", lambda: _main(arguments))


def _main(arguments: Sequence[str] | None) -> int:
    parser = LineParser(
        prog="fes-event-domain", description="Plays the event domain of the paper on MEDIator."
    )
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder of all runs")
    parser.add_argument("--events", type=_count, default=20, help="events of each supplier")
    parser.add_argument("--bound", type=_count, default=64, help="connections an event may pass")
    options = parser.parse_args(arguments)
    folder = options.runs / "event-domain"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "domains.sqlite").unlink(missing_ok=True)
    try:
        checks = run(folder.resolve(), options.events, options.bound)
    except ScenarioError as error:
        sys.stderr.write(f"fes-event-domain: {error}\n")
        return BROKEN
    for check in checks:
        mark = "ok  " if check.good else "FAIL"
        sys.stdout.write(f"{mark} {check.what}: {_summed(check.seen)}\n")
        if not check.good:
            sys.stdout.write(f"     expected: {_summed(check.expected)}\n")
    verdict = all(check.good for check in checks)
    report = {"verdict": verdict, "checks": [_row(check) for check in checks]}
    (folder / "verdict.json").write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    where = folder / "domain.svg"
    sys.stdout.write(f"{'Passed' if verdict else 'Failed'}; the domain is drawn in {where}\n")
    return 0 if verdict else FAILED


def _count(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 10_000:
        raise ValueError(f"{text} is not 1 to 10000")
    return value


def _row(check: Check) -> dict[str, Any]:
    wanted, seen = str(check.expected), str(check.seen)
    return {"what": check.what, "good": check.good, "wanted": wanted, "seen": seen}


def _summed(found: Any) -> str:
    """Return counts by supplier, in one line; anything else as it is."""
    if not isinstance(found, dict) or not all(isinstance(each, int) for each in found.values()):
        return str(found)
    times = Counter((what.partition(",")[0], count) for what, count in found.items())
    parts = (
        f"{events} events of {who} {count} x" for (who, count), events in sorted(times.items())
    )
    return "; ".join(parts)


if __name__ == "__main__":
    sys.exit(main())
