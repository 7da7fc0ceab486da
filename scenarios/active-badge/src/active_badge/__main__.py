"""The command `fes-active-badge`: make the experiments, and judge them."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from eventservices.errors import EventServiceError
from eventservices.servers import NatsServer, ServerSpec
from fes.running.folder import make_run_folder
from serving.command import command
from serving.ending import run_until_asked
from serving.output import print_line

from active_badge import settings
from active_badge.errors import ExperimentError
from active_badge.experiments import Counted, Mode, count
from active_badge.generator import Day, make_day
from active_badge.logs import count_logs
from active_badge.report import write_report
from active_badge.services import Programs
from active_badge.timings import Timings, measure
from active_badge.verdict import Verdict, judge

PASSED, FAILED, NOT_JUDGED = 0, 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: Of the command line; the process's own where None.

    Returns:
        0 where the verdict is pass, 1 where it is fail, 2 where there is none.
    """
    return command("fes-active-badge", lambda: _main(arguments))


def _main(arguments: Sequence[str] | None) -> int:
    options = settings.read(arguments)
    try:
        return run_until_asked(_run(options))
    except (ExperimentError, EventServiceError, TimeoutError) as error:
        sys.stderr.write(f"fes-active-badge: {error or 'not everything arrived in time'}\n")
        return NOT_JUDGED


async def _run(options: Namespace) -> int:
    folder = make_run_folder(options.runs)
    logs = folder / "logs" / "sinks"
    logs.mkdir(parents=True)
    print_line(f"run: {folder}")
    day = make_day(options.seed)
    with NatsServer(ServerSpec("building", folder / "nats")) as server:
        counted = await _count(server.url, day, logs)
        print_line("timing the operations")
        async with Programs(server.url, folder / "services"):
            timings = await measure(server.url)
    print_line("counting the logs with Spark")
    verdict = judge(day, counted, await count_logs(logs), timings)
    _report(folder, verdict, timings)
    return PASSED if verdict.passed else FAILED


async def _count(url: str, day: Day, logs: Path) -> dict[Mode, Counted]:
    counted: dict[Mode, Counted] = {}
    modes: tuple[Mode, ...] = ("unfiltered", "filtered")
    for mode in modes:
        print_line(f"God, Big Brother, CCTV: {mode}")
        counted[mode] = await count(url, day, mode, logs)
    return counted


def _report(folder: Path, verdict: Verdict, timings: Timings) -> None:
    page = folder / "report.html"
    write_report(page, verdict, timings)
    for row in verdict.counts:
        print_line(
            f"table {row.table}  {row.sink:<22}{row.filtered:>7}  published {row.published:>6}"
        )
    for times in verdict.times:
        if times.measured:
            print_line(
                f"table {times.table}  {times.what:<34}{times.measured.median:>9.2f} ms"
                f"  thesis {times.published_ms:>9.2f}  ratio {times.ratio:.0f}"
            )
    for name, value in verdict.figures.items():
        print_line(f"{name}: {value}")
    for wrong in verdict.wrongs[:50]:
        print_line(f"wrong: {wrong}")
    print_line(f"report: {page}\nverdict: {'pass' if verdict.passed else 'fail'}")


if __name__ == "__main__":
    sys.exit(main())
