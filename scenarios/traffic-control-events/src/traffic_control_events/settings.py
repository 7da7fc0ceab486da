"""The command line."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from scenario_kit.numbers import positive_number, whole_number
from serving.parser import LineParser

SECONDS = 80
SPEED = 4.0


def read(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the settings of a command; a bad one ends the process with status 2.

    Args:
        arguments: Of the command line; the process's own where None.
    """
    parser = LineParser(
        prog="fes-traffic-control-events", description="Control events that cross the air."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    demo = commands.add_parser("demo", help="plan, run and judge; the exit status is the verdict")
    demo.add_argument("--runs", type=Path, default=Path("runs"), help="folder of all runs")
    _add_plan(demo)
    plan = commands.add_parser("plan", help="write what a run needs")
    plan.add_argument("--out", type=Path, required=True, metavar="RUNFOLDER")
    _add_plan(plan)
    judge = commands.add_parser("judge", help="judge a run by what its clients wrote down")
    judge.add_argument("run", type=Path, metavar="RUNFOLDER")
    return parser.parse_args(arguments)


def _add_plan(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--seconds", type=whole_number, default=SECONDS, help=f"of driving (default: {SECONDS})")
    help_speed = f"seconds of the drive in a second (default: {SPEED:g})"
    add("--speedup", type=positive_number, default=SPEED, help=help_speed)
    add("--seed", type=whole_number, default=1, help="of the drive (default: 1)")
    add("--federation", type=Path, metavar="FILE", help="in the place of the story's own")
