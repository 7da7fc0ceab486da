"""The command `fes-persistent`."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from eventservices.errors import EventServiceError
from fes.errors import FesError
from fes.running.folder import make_run_folder
from serving.command import command
from serving.ending import until_asked
from serving.output import CLOSED, print_line

from persistent_scenario import settings
from persistent_scenario.errors import ScenarioError
from persistent_scenario.judging import collect, judge
from persistent_scenario.parts import Gateways, names_of
from persistent_scenario.publishing import publish
from persistent_scenario.reading import receive
from persistent_scenario.records import Plan, write_plan
from persistent_scenario.report import passed, table, write_verdict
from persistent_scenario.running import ends, run

PASSED, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: Of the command line; the process's own where None.

    Returns:
        0; of `run` and `judge` the verdict: 0 passed, 1 failed; 2 for bad input or nothing that can
        be judged, with a line on standard error; 130 after Ctrl-C.
    """
    return command("fes-persistent", lambda: _main(arguments))


def _main(arguments: Sequence[str] | None) -> int:
    options = settings.read(arguments)
    try:
        return _dispatch(options)
    except ScenarioError as error:
        sys.stderr.write(f"fes-persistent: {error}\n")
        return error.status
    except (FesError, EventServiceError, ValueError) as error:
        sys.stderr.write(f"fes-persistent: {error}\n")
        return BAD_INPUT
    except KeyboardInterrupt:
        sys.stderr.write("fes-persistent: interrupted; nothing was judged\n")
        return INTERRUPTED


def _dispatch(options: argparse.Namespace) -> int:
    if options.command == "publish":
        asyncio.run(publish(options.run, options.url))
        return 0
    if options.command == "receive":
        asyncio.run(receive(options.run, options.url))
        return 0
    if options.command == "judge":
        return _judge(options.folder)
    return _run(options)


def _run(options: argparse.Namespace) -> int:
    first, last = ends(names_of(options.federation))
    plan = Plan(
        options.events, options.origins, options.rate, options.kills, options.seed, first, last
    )
    folder = make_run_folder(options.runs)
    write_plan(folder, plan)
    print_line(f"run: {folder}")
    gateways = Gateways(options.replicas, options.store)
    ended_by = asyncio.run(until_asked(run(folder, plan, options.federation, gateways, print_line)))
    if ended_by is signal.SIGPIPE:
        return CLOSED
    if ended_by is not None:
        raise KeyboardInterrupt
    return _judge(folder)


def _judge(folder: Path) -> int:
    evidence = collect(folder)
    promises = judge(evidence)
    write_verdict(folder, evidence, promises)
    print_line("\n" + table(evidence, promises))
    return PASSED if passed(promises) else FAILED


if __name__ == "__main__":
    sys.exit(main())
