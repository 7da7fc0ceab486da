"""`python -m building_walk.natives bus | walk`: a device's bus, or all clients of the story."""

import argparse
import asyncio
import sys
from pathlib import Path

from eventservices.errors import EventServiceError
from serving.command import command
from serving.ending import until_asked
from serving.parser import LineParser

from building_walk.natives.bus import serve
from building_walk.natives.walk import Urls, run

NAME = "building_walk.natives"


def main() -> int:
    """Run a bus until it is stopped, or the clients until the walk is over.

    Returns:
        0; 1 where an event service is away.
    """
    return command(NAME, _main)


def _main() -> int:
    options = _parser().parse_args()
    try:
        if options.command == "bus":
            asyncio.run(until_asked(serve(options.run, options.nats, options.bus)))
        else:
            urls = Urls(options.nats, options.air, options.city, options.doors)
            asyncio.run(run(options.run, urls))
    except (EventServiceError, OSError, TimeoutError) as error:
        sys.stderr.write(f"{NAME}: {error or 'a bus is not ready in time'}\n")
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = LineParser(prog=f"python -m {NAME}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    bus = commands.add_parser("bus", help="the event bus of a device")
    bus.add_argument("--bus", required=True, help="its identifier")
    walk = commands.add_parser("walk", help="all clients, and the walk")
    walk.add_argument("--air", required=True, metavar="URL", help="broker of STEAM")
    walk.add_argument("--city", required=True, metavar="URL", help="server of SIENA")
    walk.add_argument("--doors", type=int, required=True, metavar="PORT", help="their CAN bus")
    for each in (bus, walk):
        each.add_argument("--run", type=Path, required=True, help="the run folder")
        each.add_argument("--nats", required=True, metavar="URL", help="server of the buses")
    return parser


if __name__ == "__main__":
    sys.exit(main())
