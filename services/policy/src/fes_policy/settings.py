"""The command line of the policy service."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from serving.parser import LineParser


def read(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the settings; a bad one ends the process with status 2.

    Args:
        arguments: Of the command line; the process's own where None.
    """
    parser = LineParser(prog="fes-policy", description="The policy service of a building.")
    add = parser.add_argument
    add("--nats", action="append", required=True, metavar="URL", help="a server; may be repeated")
    add("--building-id", required=True, help="identifier of the building")
    add("--building", type=Path, required=True, help="file of users, places and events")
    add("--rules", type=Path, required=True, help="file of Cedar")
    add("--log", type=Path, help="file of decisions (default: none is written)")
    add("--host", default="127.0.0.1", help="address of its REST interface")
    add("--port", type=int, default=0, help="port of it; 0 for a free one")
    return parser.parse_args(arguments)
