"""The command `fes`."""

import argparse
import os
import sys
from functools import partial
from typing import TYPE_CHECKING

from serving.command import command
from serving.parser import LineParser

from fes.cli import (
    adapter,
    added,
    client,
    doctor,
    domains,
    init,
    kill,
    native,
    run,
    scopes,
    validate,
)
from fes.cli import filter as filters
from fes.errors import FesError

if TYPE_CHECKING:
    from collections.abc import Callable


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
    out = sys.stdout
    commands: dict[str, Callable[[], int]] = {
        "run": lambda: run.run(options, os.environ, out),
        "validate": lambda: validate.validate(
            options.paths, os.environ, out, report=options.report
        ),
        "filter": lambda: filters.run(options, os.environ, out),
        "scopes": lambda: scopes.run(options, os.environ, out),
        "doctor": lambda: doctor.doctor(options, os.environ, out),
        "inject": lambda: client.inject(options, out),
        "adapter": lambda: adapter.run(options, out),
        "init": lambda: init.init(options, out),
        "listen": lambda: native.listen(options, os.environ, out),
        "publish": lambda: native.publish(options, os.environ, out),
        "kill": lambda: kill.kill(options, out),
        "domains": lambda: domains.domains(options, out),
    }
    if options.command in added.names():
        return added.run(options, out)
    show = partial(client.show, options.command, options, out)
    return commands.get(options.command, show)()


def _parser() -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = LineParser(
        prog="fes", description="The Federated Event Service."
    )
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run.add_parser(subparsers)
    validate.add_parser(subparsers)
    init.add_parser(subparsers)
    adapter.add_parser(subparsers)
    filters.add_parser(subparsers)
    native.add_parsers(subparsers)
    scopes.add_parser(subparsers)
    client.add_parsers(subparsers)
    kill.add_parser(subparsers)
    domains.add_parser(subparsers)
    doctor.add_parser(subparsers)
    if not sys.argv[1:] or sys.argv[1] not in subparsers.choices:
        added.add_parsers(subparsers)  # their modules are large, and few commands need them
    return parser


if __name__ == "__main__":
    main()
