"""Commands that services add to `fes`: modules at the entry point `fes.commands`."""

from argparse import ArgumentParser, Namespace, _SubParsersAction
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol, TextIO, cast

GROUP = "fes.commands"


class Command(Protocol):
    """The functions of such a module."""

    HELP: str

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the arguments of the command."""

    def run(self, options: Namespace, out: TextIO) -> int:
        """Run the command and return its status."""


@cache
def _found() -> dict[str, EntryPoint]:
    return {point.name: point for point in sorted(entry_points(group=GROUP))}


def names() -> frozenset[str]:
    """Return the names of the commands."""
    return frozenset(_found())


def add_parsers(subparsers: "_SubParsersAction[ArgumentParser]") -> None:
    """Add the commands to the command line of `fes`."""
    for name in sorted(names()):
        command = _command(name)
        command.add_arguments(subparsers.add_parser(name, help=command.HELP))


def run(options: Namespace, out: TextIO) -> int:
    """Run the command that was chosen, and return its status."""
    return _command(options.command).run(options, out)


def _command(name: str) -> Command:
    return cast("Command", _found()[name].load())
