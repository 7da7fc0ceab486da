"""The command `fes`."""

import argparse
import os
import sys

from serving.command import command
from serving.parser import LineParser

from fes.cli import client, doctor, kill, run, validate
from fes.cli import filter as filters
from fes.errors import FesError


def main() -> None:
    """Run the command line; errors end with status 2 and their message."""
    raise SystemExit(command("fes", _main))


def _main() -> int:
    options = _parser().parse_args()
    try:
        return _dispatch(options)
    except FesError as error:
        sys.stderr.write(f"fes {options.command}: {error}\n")
        return 2


def _dispatch(options: argparse.Namespace) -> int:
    match options.command:
        case "run":
            return run.run(options, os.environ, sys.stdout)
        case "validate":
            return validate.validate(options.paths, os.environ, sys.stdout, report=options.report)
        case "filter":
            return filters.run(options, os.environ, sys.stdout)
        case "doctor":
            return doctor.doctor(options, os.environ, sys.stdout)
        case "inject":
            return client.inject(options, sys.stdout)
        case "kill":
            return kill.kill(options, sys.stdout)
        case name:
            return client.show(name, options, sys.stdout)


def _parser() -> argparse.ArgumentParser:
    parser = LineParser(prog="fes", description="The Federated Event Service.")
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run.add_parser(subparsers)
    validate.add_parser(subparsers)
    filters.add_parser(subparsers)
    client.add_parsers(subparsers)
    kill.add_parser(subparsers)
    doctor.add_parser(subparsers)
    return parser


if __name__ == "__main__":
    main()
