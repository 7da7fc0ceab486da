"""The command `traffic-control`."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence

import uvloop
from serving import diagnostics
from serving.command import command, told

from traffic_control import settings, talk
from traffic_control.city import read_city
from traffic_control.errors import AwayError, ControlError
from traffic_control.serve import ServeOptions, serve

BAD_INPUT = 2
UNAVAILABLE = 1


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: Arguments of the command line; the process's own where None.

    Returns:
        0; 1 where something cannot be reached or is in use; 2 for bad input, with one line on
        standard error.
    """
    return command("traffic-control", lambda: _main(arguments))


def _main(arguments: Sequence[str] | None) -> int:
    try:
        options = settings.read(sys.argv[1:] if arguments is None else arguments, os.environ)
        if options.command == "serve":
            _serve(options, os.environ)
        else:
            _talk(options)
    except (ControlError, OSError) as error:
        reason = str(error) if isinstance(error, ControlError) else told(error)
        reason = reason.removeprefix("traffic-control: ")
        sys.stderr.write(f"traffic-control: {reason}\n")
        is_away = isinstance(error, AwayError) or not isinstance(error, ControlError)
        return UNAVAILABLE if is_away else BAD_INPUT
    return 0


def _serve(options: argparse.Namespace, environment: Mapping[str, str]) -> None:
    run = options.run
    city = read_city(run, options.federation or run / "federation.yaml", environment)
    diagnostics.set_up()
    given = ServeOptions(
        run=run,
        host=options.host,
        port=options.port,
        renew_s=options.renew_s,
        lease_s=options.lease_s,
        endpoints=options.endpoints or run / "endpoints.json",
    )
    uvloop.run(serve(given, city))


def _talk(options: argparse.Namespace) -> None:
    url = (options.url or talk.running_url(options.run)).rstrip("/")
    if options.command == "limits":
        lines = talk.show_limits(url)
    else:
        lines = [talk.set_limit(url, options.monitor, options.limit)]
    sys.stdout.write("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    sys.exit(main())
