"""Command line: watch an air, or publish on it.

`python -m eventservices.steam observe --url mqtt://host:port --air NAME`
`python -m eventservices.steam publish --url … --air NAME --lat 50.02 --lon 11.49 Speed rate=83.0`
"""

import argparse
import asyncio
import sys
from contextlib import suppress
from pathlib import Path

from serving.command import command
from serving.ending import until_asked
from serving.parser import LineParser

from eventservices.errors import EventServiceError
from eventservices.sightings import Sightings
from eventservices.steam.air import Air
from eventservices.steam.event import Event, Value
from eventservices.steam.location import FixedLocation
from eventservices.steam.node_settings import NodeSettings
from eventservices.steam.observer import Observer
from eventservices.steam.proximity import around, parse_proximity
from eventservices.steam.settings import LARGEST_RANGE_M, AirSettings
from eventservices.steam.show import line

USAGE_ERROR = 2


def main(arguments: list[str] | None = None) -> int:
    """Run the command line.

    Returns:
        0; 1 where the broker fails; 2 where an argument is wrong.
    """
    return command("eventservices.steam", lambda: _main(arguments))


def _main(arguments: list[str] | None) -> int:
    options = _parser().parse_args(arguments)
    try:
        asyncio.run(until_asked(options.run(options)))
    except EventServiceError as error:
        sys.stderr.write(f"{error}\n")
        return USAGE_ERROR if isinstance(error, ValueError) else 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = LineParser(prog="python -m eventservices.steam")
    commands = parser.add_subparsers(required=True)
    observe = commands.add_parser("observe", help="print one JSON line for all that is seen")
    observe.set_defaults(run=_observe)
    observe.add_argument("--out", type=Path, help="append to this file, with the time of each line")
    observe.add_argument("--no-events", action="store_true", help="announcements and groups only")
    publish = commands.add_parser("publish", help="announce a subject and publish one event")
    publish.set_defaults(run=_publish)
    publish.add_argument("--node", default="trial", help="name of the node")
    publish.add_argument("--proximity", help="0,sub,lat,lon,radius or 1,sub,lat,lon,dimx,dimy")
    publish.add_argument("subject")
    publish.add_argument("parameters", nargs="*", help="NAME=VALUE; 83 integer, 83.0 double")
    for one in (observe, publish):
        one.add_argument("--url", required=True, help="mqtt://host:port")
        one.add_argument("--air", default="air", help="name of the air")
        one.add_argument("--cell", type=float, default=LARGEST_RANGE_M, help="cell edge, m")
        one.add_argument("--range", type=float, default=LARGEST_RANGE_M, help="radio range, m")
        one.add_argument("--lat", type=float, required=one is publish)
        one.add_argument("--lon", type=float, required=one is publish)
    return parser


async def _observe(options: argparse.Namespace) -> None:
    place = None
    if options.lat is not None and options.lon is not None:
        place = FixedLocation(options.lat, options.lon)
    sightings = Sightings(options.out)
    with suppress(asyncio.CancelledError):
        async with (
            sightings.alive(),
            Air(AirSettings(options.url, options.air, cell_edge_m=options.cell)) as air,
            Observer(
                air,
                lambda sighting: sightings.write(line(sighting)),
                location=place,
                range_m=options.range,
                events=not options.no_events,
            ),
        ):
            await asyncio.Event().wait()


async def _publish(options: argparse.Namespace) -> None:
    parameters = dict(_parameter(text) for text in options.parameters)
    proximity = parse_proximity(options.proximity) if options.proximity else around(options.range)
    place = FixedLocation(options.lat, options.lon)
    async with Air(AirSettings(options.url, options.air, cell_edge_m=options.cell)) as air:
        node = air.node(NodeSettings(options.node, options.range), place)
        node.announce(options.subject, proximity)
        node.publish(Event(options.subject, parameters))
        await air.probe()


def _parameter(text: str) -> tuple[str, Value]:
    name, _, value = text.partition("=")
    for kind in (int, float):
        with suppress(ValueError):
            return name, kind(value)
    return name, value


if __name__ == "__main__":
    sys.exit(main())
