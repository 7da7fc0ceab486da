"""Command line: watch a bus, publish on it, replay a log on it, or record it.

`python -m eventservices.cosmic observe --interface udp_multicast --port 43113 [SUBJECT …]`
`python -m eventservices.cosmic publish … SUBJECT HEX`
`python -m eventservices.cosmic replay … LOG` and `record … LOG`
"""

import argparse
import asyncio
import gzip
import json
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO, cast

from serving.command import command, told
from serving.ending import until_asked
from serving.output import show
from serving.parser import LineParser

from eventservices.canlog.reader import LogNotes, kind_of, read_frames
from eventservices.canlog.writer import LogWriter
from eventservices.cosmic.attributes import ChannelAttributes
from eventservices.cosmic.broker import Broker
from eventservices.cosmic.bus import Bus
from eventservices.cosmic.driver import GROUP, INTERFACES, PORT, Interface
from eventservices.cosmic.event import Delivery, Event
from eventservices.cosmic.frame import Frame
from eventservices.cosmic.identifier import TimeClass
from eventservices.cosmic.replay import Recorder, replay
from eventservices.cosmic.settings import BIT_RATE, BusSettings, NodeSettings
from eventservices.cosmic.show import event_line, frame_line
from eventservices.errors import EventServiceError

USAGE_ERROR = 2
HOLD_US = 200_000
SLOT_PERIOD_US = 10_000


def main(arguments: list[str] | None = None) -> int:
    """Run the command line.

    Returns:
        0; 1 where the bus fails; 2 where an argument or a log is wrong.
    """
    return command("eventservices.cosmic", lambda: _main(arguments))


def _main(arguments: list[str] | None) -> int:
    options = _parser().parse_args(arguments)
    try:
        asyncio.run(until_asked(options.run(options)))
    except EventServiceError as error:
        sys.stderr.write(f"{error}\n")
        return USAGE_ERROR if isinstance(error, ValueError) else 1
    except OSError as error:
        sys.stderr.write(f"{told(error)}\n")
        return USAGE_ERROR
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = LineParser(prog="python -m eventservices.cosmic")
    commands = parser.add_subparsers(required=True)
    observe = commands.add_parser("observe", help="print one JSON line for each frame and event")
    observe.add_argument("subjects", nargs="*", help="events of these too, not frames alone")
    publish = commands.add_parser("publish", help="announce a channel and publish one event")
    publish.add_argument("--class", dest="time_class", default="nrt", choices=("hrt", "srt", "nrt"))
    publish.add_argument("subject")
    publish.add_argument("content", help="hexadecimal")
    play = commands.add_parser("replay", help="put the frames of a log on the bus")
    play.add_argument("--speed", type=float, default=1.0, help="0: as fast as the bus accepts them")
    play.add_argument("log", type=Path, help="candump, ASC, BLF or TRC; .gz too")
    record = commands.add_parser("record", help="write the frames of the bus into a log")
    record.add_argument("--seconds", type=float, help="how long; until interrupted without")
    record.add_argument("log", type=Path, help="candump, ASC, BLF or TRC by its suffix")
    runs = {observe: _observe, publish: _publish, play: _replay, record: _record}
    for one, run in runs.items():
        _add_bus(one)
        one.set_defaults(run=run)
    return parser


def _add_bus(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--interface", default="udp_multicast", choices=INTERFACES)
    add("--channel", default=GROUP, help="multicast group, or name of the bus")
    add("--port", type=int, default=PORT, help="UDP port of the bus")
    add("--bit-rate", type=int, default=BIT_RATE)
    add("--node", type=int, default=126, help="node number")
    add("--etag", action="append", default=[], metavar="SUBJECT=ETAG", help="known beforehand")
    add("--hashed", action="store_true", help="the bus has no broker: etags follow from subjects")
    add("--broker", action="store_true", help="be the broker of the bus")


def _bus(options: argparse.Namespace) -> Bus:
    etags = {}
    for text in options.etag:
        subject, _, etag = text.rpartition("=")
        etags[subject] = int(etag) if etag.isdecimal() else -1
    interface = Interface(options.interface, options.channel, options.port)
    settings = BusSettings(interface, options.bit_rate, etags=etags, hashed=options.hashed)
    return Bus(settings)


def _node(options: argparse.Namespace) -> NodeSettings:
    return NodeSettings("command-line", options.node)


async def _observe(options: argparse.Namespace) -> None:
    async with _bus(options) as bus:
        if options.broker:
            Broker(bus)
        bus.monitors.append(_print_frame)
        node = bus.node(_node(options))
        held = ChannelAttributes(hold_us=HOLD_US)
        for subject in options.subjects:
            await node.subscribe(subject, held, _print_event)
        await asyncio.Event().wait()


async def _publish(options: argparse.Namespace) -> None:
    async with _bus(options) as bus:
        if options.broker:
            Broker(bus)
        node = bus.node(_node(options))
        time_class = TimeClass(options.time_class)
        await node.announce(options.subject, ChannelAttributes(time_class, SLOT_PERIOD_US))
        try:
            content = bytes.fromhex(options.content)
        except ValueError as error:
            raise SystemExit(f"content is not hexadecimal: {error}") from error
        node.publish(Event(options.subject, content))
        await bus.drain()


async def _replay(options: argparse.Namespace) -> None:
    notes = LogNotes()
    async with _bus(options) as bus:
        with _opened(options.log) as stream:
            frames = read_frames(stream, kind_of(options.log.name), notes)
            done = await replay(frames, bus.node(_node(options)), bus, speed=options.speed)
        await bus.drain()
    told = {**asdict(done), **notes.counts, "notes": list(notes.notes)}
    sys.stdout.write(json.dumps(told) + "\n")


async def _record(options: argparse.Namespace) -> None:
    with LogWriter(options.log) as writer:
        async with _bus(options) as bus:
            with Recorder(bus, writer), suppress(TimeoutError):
                async with asyncio.timeout(options.seconds):
                    await asyncio.Event().wait()
    sys.stdout.write(json.dumps({"recorded": writer.frames}) + "\n")


def _opened(path: Path) -> BinaryIO:
    return cast("BinaryIO", gzip.open(path)) if path.suffix.lower() == ".gz" else path.open("rb")


def _print_frame(frame: Frame) -> None:
    show(frame_line(frame))


def _print_event(delivery: Delivery) -> None:
    show(event_line(delivery))


if __name__ == "__main__":
    sys.exit(main())
