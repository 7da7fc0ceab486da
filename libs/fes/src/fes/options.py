"""Options of a process: the command line, and the environment for what it leaves out."""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn

PREFIX = "FES_"


class OptionParser(argparse.ArgumentParser):
    """Reads options; one that is not good ends the process with status 2 and one line.

    Args:
        prog: Name of the program.
        description: What it does.
        environment: `FES_LINK_PORT` stands for `--link-port` where that is not given, and so on.
    """

    def __init__(self, prog: str, description: str, environment: Mapping[str, str]) -> None:
        super().__init__(prog=prog, description=description, allow_abbrev=False)
        self._environment = environment

    def option(
        self,
        name: str,
        explain: str,
        *,
        kind: Callable[[str], object] = str,
        default: object = None,
        required: bool = False,
    ) -> None:
        """Take an option.

        Args:
            name: As on the command line, `--link-port`.
            explain: For `--help`.
            kind: Makes the value from text; its ValueError is told.
            default: Where neither the command line nor the environment has one.
            required: Whether it must be given.
        """
        variable = PREFIX + name.strip("-").replace("-", "_").upper()
        given = self._environment.get(variable) or None
        self.add_argument(
            name,
            type=kind,
            default=default if given is None else given,
            required=required and given is None,
            help=f"{explain} [{variable}]",
        )

    def error(self, message: str) -> NoReturn:
        """Tell in one line, as every error is told."""
        sys.stderr.write(f"{self.prog}: {message}\n")
        raise SystemExit(2)


def add_part(parser: OptionParser) -> None:
    """Take the options that every part of a federation has: its file, and the run."""
    parser.option("--federation", "the federation's file", kind=Path, required=True)
    parser.option("--base", "where its relative paths start; its folder", kind=Path)
    parser.option("--run", "folder of the run", kind=Path, required=True)
    parser.option("--ready-file", "a file that is fresh while it is ready", kind=Path)


def port(text: str) -> int:
    """Return a port; 0 has the system choose one.

    Raises:
        ValueError: It is none.
    """
    value = int(text)
    if not 0 <= value <= 65_535:
        raise ValueError(f"{value} is no port")
    return value
