"""The command `fes-traffic-control-events`."""

import argparse
import sys
from collections.abc import Sequence

from fes.errors import FesError
from scenario_kit.programs import Programs
from serving.command import command

from traffic_control_events import settings
from traffic_control_events.demo import demo, judged
from traffic_control_events.plan import Wanted, plan


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: Of the command line; the process's own where None.

    Returns:
        0; of `demo` and `judge` the verdict; 2 for bad input, with a line on standard error.
    """
    return command("fes-traffic-control-events", lambda: _main(arguments))


def _main(arguments: Sequence[str] | None) -> int:
    options = settings.read(arguments)
    try:
        return _dispatch(options)
    except FesError as error:
        sys.stderr.write(f"fes-traffic-control-events: {error}\n")
        return 2


def _dispatch(options: argparse.Namespace) -> int:
    if options.command == "judge":
        return judged(options.run)
    wanted = Wanted(options.seconds, options.speedup, options.seed, options.federation)
    if options.command == "demo":
        return demo(options.runs, wanted, Programs())
    options.out.mkdir(parents=True, exist_ok=True)
    plan(options.out, wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
