"""`fes-traffic demo`: plan, run, judge."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from fes.running.folder import point_latest
from scenario_kit.programs import Programs, running
from scenario_kit.run_folder import FEDERATION, make_folder
from scenario_kit.statuses import BAD_INPUT, FAILED, INTERRUPTED, PASSED
from scenario_kit.steps import Steps
from serving.output import CLOSED, print_line

from traffic_scenario.plan import Wanted, plan
from traffic_scenario.progress import Progress
from traffic_scenario.runfolder import Plan

LEFT = (
    ("verdict", "verdict.json"),
    ("offenders", "offenders.csv"),
    ("report", "report.html"),
    ("federation", FEDERATION),
    ("logs", "logs"),
)
"""What a run leaves, and where."""


def demo(runs: Path, wanted: Wanted, own: Sequence[str], programs: Programs) -> int:
    """Plan a run, run it and have it judged.

    Args:
        runs: Folder of all runs.
        wanted: What to plan.
        own: Gateways and adapters that get a process of their own.
        programs: How the services' programs are called.

    Returns:
        The verdict: 0 passed, 1 failed, 2 where it cannot be judged or an input is bad; 130 where
        it was interrupted.

    Raises:
        InputError: An input is not valid.
    """
    folder, planned = prepare(runs, wanted, programs)
    lasts_s = planned.duration_s / wanted.speedup
    print_line(f"the trace plays for {lasts_s:.0f} s; Ctrl-C ends the run")
    progress = Progress(folder, planned.samples, lasts_s, print_line)
    with Steps() as steps:
        status = steps.run(running(folder, own, programs), progress.look)
        if status == PASSED:
            print_line("judging the run (Spark starts)")
            status = steps.run((*programs.analytics, "verify", str(folder)))
    if status == CLOSED:
        return CLOSED
    _tell_where(folder)
    if steps.interrupted:
        print_line("interrupted; nothing was judged")
        return INTERRUPTED
    return status if status in (PASSED, BAD_INPUT) else FAILED


def prepare(runs: Path, wanted: Wanted, programs: Programs) -> tuple[Path, Plan]:
    """Plan a run in a folder of its own, and let `latest` point to it.

    Returns:
        The folder, and what the run is about.

    Raises:
        InputError: An input is not valid; then no folder is left.
    """
    folder = make_folder(runs)
    try:
        planned = plan(folder, wanted, programs)
    except BaseException:
        _discard(folder)
        raise
    point_latest(folder)
    return folder, planned


def _discard(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _tell_where(folder: Path) -> None:
    lines = [f"{what:<11}{folder / name}" for what, name in LEFT if (folder / name).exists()]
    print_line("\n".join(["", *lines]))
