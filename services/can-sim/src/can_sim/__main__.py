"""The command `can-sim`."""

import asyncio
import json
import os
import sys
from collections.abc import Sequence

from serving.command import command, told

from can_sim import convert, plan, settings
from can_sim.errors import BusError, InputError
from can_sim.run import run

BAD_INPUT = 2
UNAVAILABLE = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its summary goes to standard output as one line of JSON.

    Args:
        arguments: Of the command line; the process's own where None.

    Returns:
        0; 1 where the broker is away; 2 for bad input, with one line on standard error.
    """
    return command("can-sim", lambda: _main(arguments))


def _main(arguments: Sequence[str] | None) -> int:
    try:
        options = settings.read(sys.argv[1:] if arguments is None else arguments, os.environ)
        if options.command == "plan":
            summary = plan.command(options)
        elif options.command == "convert":
            summary = convert.command(options)
        else:
            summary = asyncio.run(run(options))
    except (InputError, BusError, OSError) as error:
        reason = told(error) if isinstance(error, OSError) else error
        sys.stderr.write(f"can-sim: {reason}\n")
        return UNAVAILABLE if isinstance(error, BusError) else BAD_INPUT
    text_on_stdout = options.command == "convert" and options.out is None
    print(json.dumps(summary), file=sys.stderr if text_on_stdout else sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
