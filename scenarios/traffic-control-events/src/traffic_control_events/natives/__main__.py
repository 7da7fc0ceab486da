"""`python -m traffic_control_events.natives CLIENT`: one of the story's native clients."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from eventservices.errors import EventServiceError
from serving.command import command
from serving.ending import ending_event
from serving.parser import LineParser

from traffic_control_events.natives import cns_pub, siena_sub, witness
from traffic_control_events.natives.files import all_there, is_ready, ready_file

READY_S = 30.0
"""How long the publisher waits for those that listen."""

MEDIUM = "traffic-control-events.air"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a client until it is done, or a signal ends it.

    Args:
        arguments: Of the command line; the process's own where None.

    Returns:
        0; 1 where its event service is away, or nobody listens in time.
    """
    return command("traffic_control_events.natives", lambda: _main(arguments))


def _main(arguments: Sequence[str] | None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return asyncio.run(_run(options))
    except EventServiceError as error:
        return _failed(options.client, str(error))


async def _run(options: argparse.Namespace) -> int:
    run: Path = options.run
    if options.client == cns_pub.NAME:
        listeners = [ready_file(run, name) for name in (siena_sub.NAME, witness.NAME)]
        if not await all_there(listeners, READY_S):
            return _failed(cns_pub.NAME, f"nobody listens after {READY_S:.0f} s")
        await cns_pub.publish(run, options.cns, options.speed, options.start_wall_us)
        return 0
    if options.client == siena_sub.NAME:
        listening = siena_sub.subscribed(run, options.siena, options.over)
    else:
        urls = (options.cns, options.air, options.siena)
        listening = witness.looking_on(run, *urls, options.medium)
    await _until_stopped(listening, ready_file(run, options.client))
    return 0


async def _until_stopped(listening: AbstractAsyncContextManager[None], ready: Path) -> None:
    stopped = ending_event()
    async with listening:
        is_ready(ready)
        await stopped.wait()


def _failed(client: str, reason: str) -> int:
    sys.stderr.write(f"{client}: {reason}\n")
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = LineParser(prog="python -m traffic_control_events.natives")
    clients = parser.add_subparsers(dest="client", required=True, metavar="CLIENT")
    publisher = clients.add_parser(cns_pub.NAME, help="the vehicle's publisher")
    subscriber = clients.add_parser(siena_sub.NAME, help="the city's subscriber")
    observer = clients.add_parser(witness.NAME, help="looks on at all event services")
    for parser_, names in (
        (publisher, ("cns",)),
        (subscriber, ("siena",)),
        (observer, ("cns", "air", "siena")),
    ):
        parser_.add_argument("--run", type=Path, required=True, help="the run folder")
        for name in names:
            parser_.add_argument(f"--{name}", required=True, metavar="URL", help="its broker")
    publisher.add_argument("--speed", type=float, default=1.0)
    publisher.add_argument("--start-wall-us", type=int, required=True)
    subscriber.add_argument("--over", type=float, required=True, metavar="MPH")
    observer.add_argument("--medium", default=MEDIUM, help="name of the air")
    return parser


if __name__ == "__main__":
    sys.exit(main())
