"""The command line."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from serving.parser import LineParser


def read(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the settings; a bad one ends the process with status 2.

    Args:
        arguments: Of the command line; the process's own where None.
    """
    parser = LineParser(
        prog="fes-active-badge", description="The experiments of the smart-building thesis."
    )
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder of all runs")
    parser.add_argument("--seed", type=int, default=1, help="of the sightings")
    return parser.parse_args(arguments)
