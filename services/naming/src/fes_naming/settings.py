"""The command line of a naming server."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from serving.parser import LineParser


def read(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the settings; a bad one ends the process with status 2.

    Args:
        arguments: Of the command line; the process's own where None.
    """
    parser = LineParser(prog="fes-naming", description="A server of the event naming service.")
    add = parser.add_argument
    add("--nats", action="append", required=True, metavar="URL", help="a server; may be repeated")
    add("--building", required=True, help="whose names these are")
    add("--server", required=True, help="own name, as files of static links have it")
    add("--links", type=Path, required=True, help="file of the domain and of other servers")
    add("--store", type=Path, help="file of its state (default: none is kept)")
    add("--host", default="127.0.0.1", help="address of its REST interface")
    add("--port", type=int, default=0, help="port of it; 0 for a free one")
    return parser.parse_args(arguments)
