"""`fes-traffic-control-events demo`: plan, run, judge."""

from pathlib import Path

from fes.running.folder import point_latest
from scenario_kit.playing import play
from scenario_kit.programs import Programs
from scenario_kit.run_folder import FEDERATION, make_folder
from scenario_kit.statuses import BAD_INPUT, FAILED, PASSED
from serving.output import print_line

from traffic_control_events.judge import UnjudgedError, judge
from traffic_control_events.judge.report import JOURNEY, VERDICT, table, write
from traffic_control_events.plan import Wanted, plan

OWN = ("g1", "g2", "g3")
"""Gateways that get a process each, as in the thesis."""

LEFT = (("verdict", VERDICT), ("journey", JOURNEY), ("federation", FEDERATION), ("logs", "logs"))
"""What a run leaves, and where."""


def demo(runs: Path, wanted: Wanted, programs: Programs) -> int:
    """Plan a run, run it and judge it.

    Args:
        runs: Folder of all runs.
        wanted: What to plan.
        programs: How `fes` is called.

    Returns:
        The verdict: 0 passed, 1 failed, 2 where it cannot be judged; 130 where it was interrupted,
        141 where nobody reads its output any more.

    Raises:
        FederationError: The federation file is not valid.
    """
    folder = make_folder(runs)
    plan(folder, wanted)
    point_latest(folder)
    lasts_s = wanted.seconds / wanted.speed
    print_line(f"planned: {wanted.seconds} s of driving in {lasts_s:.0f} s, in {folder}")
    return play(folder, judged, OWN, programs=programs)


def judged(folder: Path) -> int:
    """Judge a run, print the verdict and leave it in the folder.

    Args:
        folder: The run folder.

    Returns:
        0 passed, 1 failed, 2 where it cannot be judged.
    """
    try:
        verdict = judge(folder)
    except UnjudgedError as error:
        print_line(f"not judged: {error}")
        return BAD_INPUT
    write(verdict, folder)
    print_line("\n" + table(verdict))
    print_line("\n" + "\n".join(f"{what:<11}{folder / name}" for what, name in LEFT))
    return PASSED if verdict.passed else FAILED
