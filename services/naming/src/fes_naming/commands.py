"""`fes names lookup | add | remove | status`."""

import json
import sys
from argparse import ArgumentParser, Namespace
from typing import Final, TextIO
from urllib.parse import quote

from serving.loopback import NoAnswerError, ask

HELP = "query a server of the event naming service"
TIMEOUT_S: Final = 10.0
NOT_KNOWN, FAILED = 1, 2
METHODS: Final = {"lookup": "GET", "add": "PUT", "remove": "DELETE", "status": "GET"}


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    commands = parser.add_subparsers(dest="names_command", required=True, metavar="WHAT")
    for name, what in (
        ("lookup", "print the buses with sources of an event; status 1 where not known now"),
        ("add", "add a bus to an event's sources"),
        ("remove", "remove a bus from an event's sources"),
        ("status", "print where a server is, and its counters"),
    ):
        each = commands.add_parser(name, help=what)
        each.add_argument("--url", required=True, help="REST interface of any naming server")
        if name != "status":
            each.add_argument("name", metavar="EVENT")
        if name in ("add", "remove"):
            each.add_argument("bus", metavar="BUS")


def run(options: Namespace, out: TextIO) -> int:
    """Run the command and return its status: 1 where nothing is known now, 2 where none answers."""
    method, path = METHODS[options.names_command], "/v1/status"
    if options.names_command != "status":
        bus = [options.bus] if "bus" in options else []
        path = "/v1/names/" + "/".join(quote(each, safe="") for each in (options.name, *bus))
    url = options.url.rstrip("/") + path
    try:
        response = ask(method, url, timeout_s=TIMEOUT_S)
        answer = response.json()
    except (NoAnswerError, ValueError) as error:
        why = f": {error}" if isinstance(error, NoAnswerError) else ""
        sys.stderr.write(f"fes names: no naming server answers at {url}{why}\n")
        return FAILED
    out.write(json.dumps(answer) + "\n")
    return 0 if response.is_success else NOT_KNOWN
