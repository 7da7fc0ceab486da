"""`python -m eventservices.siena observe`: see what goes on in a SIENA service."""

import argparse
import asyncio
import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path

from serving.command import command
from serving.parser import LineParser

from eventservices.errors import EventServiceError
from eventservices.siena.advertising import Semantics
from eventservices.siena.filters import Filter
from eventservices.siena.observe import observe
from eventservices.siena.text import parse_filter
from eventservices.sightings import Count, Sightings, ended_by_signals


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns:
        0 after an interrupt; 1 where the service is away or refused; 2 where an argument is wrong.
    """
    return command("eventservices.siena", lambda: _main(arguments))


def _main(arguments: Sequence[str] | None) -> int:
    given = _parser().parse_args(arguments)
    if given.count and given.out is None:
        return _fail("--count: needs --out", 2)
    try:
        what = parse_filter(given.filter) if given.filter else None
    except EventServiceError as error:
        return _fail(f"--filter: {error}", 2)
    try:
        asyncio.run(_run(given, what))
    except ValueError as error:
        return _fail(str(error), 2)
    except EventServiceError as error:
        return _fail(str(error), 1)
    return 0


async def _run(given: argparse.Namespace, what: Filter | None) -> None:
    count = Count(given.out) if given.count else None
    sightings = count or Sightings(given.out)
    async with sightings.alive():
        watching = asyncio.create_task(
            observe(
                given.url,
                given.service,
                tell=sightings.write,
                count=count.add if count else None,
                what=what,
                index=given.index,
                semantics=Semantics(given.semantics),
            )
        )
        ended_by_signals(watching)
        with contextlib.suppress(asyncio.CancelledError):
            await watching


def _fail(reason: str, status: int) -> int:
    sys.stderr.write(f"eventservices.siena: {reason}\n")
    return status


def _parser() -> argparse.ArgumentParser:
    parser = LineParser(prog="python -m eventservices.siena")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    watch = commands.add_parser("observe", help="print one JSON line for each thing that happens")
    watch.add_argument("--url", action="append", required=True, help="NATS server; may be repeated")
    watch.add_argument("--service", required=True, help="name of the service")
    watch.add_argument("--filter", help="which notifications, e.g. filter{ rate >70 licence any}")
    watch.add_argument("--out", type=Path, help="append to this file, with the time of each line")
    watch.add_argument("--count", action="store_true", help="count notifications, a line a second")
    watch.add_argument("--index", help="index attribute of the service")
    watch.add_argument(
        "--semantics", choices=list(Semantics), default="subscription", help="of the service"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
