"""A planned run is played and judged; what came of it is the exit status."""

from collections.abc import Callable, Sequence
from pathlib import Path

from serving.output import CLOSED, print_line

from scenario_kit.programs import Programs, running
from scenario_kit.statuses import BAD_INPUT, FAILED, INTERRUPTED, PASSED
from scenario_kit.steps import Steps


def play(
    folder: Path,
    judged: Callable[[Path], int],
    own: Sequence[str] = (),
    look: Callable[[], None] = lambda: None,
    programs: Programs | None = None,
) -> int:
    """Run a planned federation to its end, and judge it.

    Args:
        folder: The run folder.
        judged: Judges a finished run, and returns its verdict.
        own: Gateways, adapters and applications that get a process of their own.
        look: Called now and then while it runs.
        programs: How `fes` is called.

    Returns:
        The verdict: 0 passed, 1 failed, 2 where it cannot be judged; 130 where the run was
        interrupted, 141 where nobody reads its output any more.
    """
    with Steps() as steps:
        status = steps.run(running(folder, own, programs or Programs()), look)
    if status == CLOSED:
        return CLOSED
    if steps.interrupted:
        print_line("interrupted; nothing was judged")
        return INTERRUPTED
    if status != PASSED:
        return BAD_INPUT if status == BAD_INPUT else FAILED
    return judged(folder)
