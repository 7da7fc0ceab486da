"""The command `fes-building-walk`: plan, run, judge; the exit status is the verdict."""

import argparse
import sys
from pathlib import Path
from typing import Final

from fes.errors import FesError
from fes.running.folder import point_latest
from scenario_kit.numbers import positive_number, whole_number
from scenario_kit.playing import play
from scenario_kit.run_folder import make_folder
from scenario_kit.statuses import BAD_INPUT, FAILED, PASSED
from serving.command import command
from serving.output import print_line
from serving.parser import LineParser

from building_walk import walking
from building_walk.errors import WalkError
from building_walk.judge.verdict import judge, table, write
from building_walk.plan import APART, plan, restarted
from building_walk.restarts import Restarter
from building_walk.story import RECORDS, Story

STEPS: Final = 30
STEP_S: Final = 1.0
STEPS_OF_A_RESTART: Final = 14
"""At least: a service comes back, and all is as before for some steps."""


def main() -> int:
    """Run a command.

    Returns:
        The verdict: 0 passed, 1 failed; 2 for bad input; 130 where it was interrupted.
    """
    return command("fes-building-walk", _main)


def _main() -> int:
    options = _parser().parse_args()
    try:
        if options.command == "judge":
            return _judged(options.run)
        return _demo(options)
    except FesError as error:
        sys.stderr.write(f"fes-building-walk: {error}\n")
        return BAD_INPUT


def _demo(options: argparse.Namespace) -> int:
    walk = _story(options)
    folder = make_folder(options.runs)
    plan(folder, walk)
    point_latest(folder)
    print_line(
        f"planned: {len(walk.people)} badges, {walk.steps} steps, {len(walk.sightings)} sightings,"
        f" {len(walk.mails)} mails, {len(walk.restarts)} restarts, in {folder}"
    )
    restarter = Restarter(folder, walk.restarts)
    return play(folder, _judged, APART if walk.restarts else (), restarter.look)


def _story(options: argparse.Namespace) -> Story:
    track = None if options.sightings is None else walking.read(options.sightings)
    names: tuple[str, ...] = ()
    steps = options.steps
    if options.restarts is not None:
        rooms = dict.fromkeys(room for room, _ in (track.places if track else walking.STATIONS))
        every = restarted(tuple(rooms))
        for name in options.restarts:
            if name not in every:
                raise WalkError(f"--restarts: no {name!r}; there are {', '.join(every)}")
        names = tuple(options.restarts) or every
        steps = max(steps, STEPS_OF_A_RESTART * (len(names) + 1))
    return walking.tell(steps, options.seed, options.step, track, names)


def _judged(folder: Path) -> int:
    if not (folder / RECORDS).exists():
        print_line(f"not judged: {folder / RECORDS} is missing")
        return BAD_INPUT
    verdict = judge(folder)
    write(verdict, folder)
    print_line("\n".join(table(verdict)))
    return PASSED if verdict.passed else FAILED


def _parser() -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = LineParser(
        prog="fes-building-walk", description="A walk through a smart building."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    demo = commands.add_parser("demo", help="plan, run and judge; the exit status is the verdict")
    add = demo.add_argument
    add("--runs", type=Path, default=Path("runs"), help="folder of all runs")
    add("--sightings", type=Path, metavar="FILE", help="CSV of a badge; made up without")
    add("--steps", type=whole_number, default=STEPS, help=f"of the walk (default: {STEPS})")
    add("--step", type=positive_number, default=STEP_S, help=f"seconds of one (default: {STEP_S})")
    add("--seed", type=whole_number, default=1, help="of what is made up (default: 1)")
    help_ = "kill services in turn, all where none is named; the walk is longer"
    add("--restarts", nargs="*", metavar="NAME", help=help_)
    judged = commands.add_parser("judge", help="judge a run by the logs of its clients")
    judged.add_argument("run", type=Path, metavar="RUNFOLDER")
    return parser


if __name__ == "__main__":
    sys.exit(main())
