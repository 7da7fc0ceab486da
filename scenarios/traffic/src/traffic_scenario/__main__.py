"""The command `fes-traffic`."""

import argparse
import os
import sys
from collections.abc import Sequence

from fes.errors import FesError
from scenario_kit.programs import Programs, running
from scenario_kit.statuses import INTERRUPTED
from serving.command import command
from serving.output import print_line

from traffic_scenario import background, settings
from traffic_scenario.demo import demo, prepare
from traffic_scenario.errors import ScenarioError
from traffic_scenario.plan import Wanted, plan
from traffic_scenario.stage import Staged, stage


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: Of the command line; the process's own where None.

    Returns:
        0; of `demo` the verdict; 2 for bad input, with a line on standard error.
    """
    return command("fes-traffic", lambda: _main(arguments))


def _main(arguments: Sequence[str] | None) -> int:
    options = settings.read(arguments)
    try:
        return _dispatch(options, Programs())
    except ScenarioError as error:
        sys.stderr.write(f"fes-traffic: {error}\n")
        return error.status
    except FesError as error:
        sys.stderr.write(f"fes-traffic: {error}\n")
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED


def _dispatch(options: argparse.Namespace, programs: Programs) -> int:
    if options.command == "down":
        return _down(options)
    if options.command == "stage":
        return _stage(options, programs)
    wanted = Wanted(settings.planning(options), options.speedup, options.port, options.bus)
    if options.command == "plan":
        plan(options.out, wanted, programs)
        return 0
    if options.command == "up":
        return _up(options, wanted, programs)
    return demo(options.runs, wanted, options.own_process, programs)


def _up(options: argparse.Namespace, wanted: Wanted, programs: Programs) -> int:
    with background.reserved(options.runs) as place:
        folder, _ = prepare(options.runs, wanted, programs)
        process = background.start(running(folder, options.own_process, programs), folder, place)
    print_line(
        f"a federation runs in the background: process {process.pid}, folder {folder}\n"
        f"gateways are in {folder / 'endpoints.json'}; it ends with `fes-traffic down`"
    )
    return 0


def _stage(options: argparse.Namespace, programs: Programs) -> int:
    inputs = settings.staging(options)
    staged = Staged(options.federation, inputs, options.allowance, options.endpoint, options.keep)
    folder, begun = stage(options.runs, staged, os.environ, programs)
    print_line(f"{'begun' if begun else 'goes on'}: {folder}")
    return 0


def _down(options: argparse.Namespace) -> int:
    pid = background.stop(options.runs)
    print_line("nothing ran" if pid is None else f"stopped process {pid}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
