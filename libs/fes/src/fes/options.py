"""Options of a process: the command line, and the environment for what it leaves out."""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NoReturn

from serving.variables import add_option, variable_of

PREFIX = "FES_"


class OptionParser(argparse.ArgumentParser):
    """Reads options; one that is not good ends the process with status 2 and one line.

    Args:
        prog: Name of the program.
        description: What it does.
        environment: `FES_LINK_PORT` is used where `--link-port` is missing, and so on.
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
        """Accept an option.

        Args:
            name: As on the command line, `--link-port`.
            explain: For `--help`.
            kind: Makes the value from text; its ValueError is reported.
            default: Where neither the command line nor the environment has one.
            required: Whether it is required.
        """
        variable = variable_of(PREFIX, name)
        add_option(
            self, variable, self._environment, name, kind, default, explain, required=required
        )

    def error(self, message: str) -> NoReturn:
        """Print one line, as every error is reported, and exit with status 2."""
        sys.stderr.write(f"{self.prog}: {message}\n")
        raise SystemExit(2)


def add_part(parser: OptionParser) -> None:
    """Accept the options that every part of a federation has: its file, and the run."""
    parser.option("--federation", "the federation's file", kind=Path, required=True)
    parser.option("--base", "where its relative paths start; its folder", kind=Path)
    parser.option("--run", "folder of the run", kind=Path, required=True)
    parser.option("--clock", "reports when its clock begins, once it has; else its file", kind=Path)
    parser.option("--ready-file", "a file that is fresh while it is ready", kind=Path)


def port(text: str) -> int:
    """Return a port; 0 has the system choose one.

    Raises:
        ValueError: It is none.
    """
    if not (text.isascii() and text.isdigit() and int(text[:6]) <= 65_535):
        raise ValueError(f"{text[:60]!r} is not a port, 0 to 65535")
    return int(text)
