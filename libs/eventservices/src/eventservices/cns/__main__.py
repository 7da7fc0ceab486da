"""`python -m eventservices.cns observe` and `… publish`: channels by hand."""

import argparse
import asyncio
import json
import sys
from typing import Any

from serving.command import command
from serving.ending import until_asked
from serving.parser import LineParser

from eventservices.cns.can import can_frame_any
from eventservices.cns.connection import Connection
from eventservices.cns.event import structured_event
from eventservices.cns.observe import observe, write_line
from eventservices.cns.options import ClientType
from eventservices.cns.show import read_value, show_stamp
from eventservices.cns.value import Value
from eventservices.errors import EventServiceError


def main(arguments: list[str] | None = None) -> int:
    """Run a command.

    Returns:
        0 where it did what it should, 1 where the broker did not, 2 where the arguments are wrong.
    """
    return command("eventservices.cns", lambda: _main(arguments))


def _main(arguments: list[str] | None) -> int:
    options = _parser().parse_args(arguments)
    try:
        work = _observe(options) if options.command == "observe" else _publish(options)
        asyncio.run(until_asked(work))
    except EventServiceError as error:
        sys.stderr.write(f"{error}\n")
        return 2 if isinstance(error, ValueError) else 1
    return 0


async def _observe(options: argparse.Namespace) -> None:
    await observe(options.url, options.channel, options.count)


async def _publish(options: argparse.Namespace) -> None:
    async with Connection(options.url, name="cns-publish") as connection:
        channel = await connection.open_channel(options.channel)
        admin = channel.default_supplier_admin
        if options.type is None:
            anys = admin.obtain_notification_push_consumer(ClientType.ANY_EVENT)
            await anys.connect_any_push_supplier(origin=options.origin)
            stamp = await anys.push(_body(options), time_us=options.time_us)
        else:
            proxy = admin.obtain_notification_push_consumer(ClientType.STRUCTURED_EVENT)
            await proxy.connect_structured_push_supplier(origin=options.origin)
            event = structured_event(
                (options.domain, options.type),
                options.name,
                filterable_data=dict(options.set),
                body=_body(options),
            )
            stamp = await proxy.push_structured_event(event, time_us=options.time_us)
        await connection.probe()
        write_line({"published": show_stamp(stamp)})


def _body(options: argparse.Namespace) -> Value:
    if options.can is not None:
        return can_frame_any(options.can, options.data, extended=not options.standard)
    value: Value = options.value
    return value


def _json(text: str) -> Any:
    try:
        return read_value(json.loads(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"not JSON: {error}") from error


def _member(text: str) -> tuple[str, Any]:
    name, found, value = text.partition("=")
    if not found:
        raise argparse.ArgumentTypeError(f"expected NAME=JSON, not {text!r}")
    return name, _json(value)


def _identifier(text: str) -> int:
    return int(text, 0)


def _parser() -> argparse.ArgumentParser:
    parser = LineParser(prog="python -m eventservices.cns", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    watch = commands.add_parser("observe", help="print a JSON line for all that happens")
    watch.add_argument("--url", required=True, help="NATS server, e.g. nats://127.0.0.1:4222")
    watch.add_argument("--channel", required=True, action="append", help="may be repeated")
    watch.add_argument("--count", type=int, default=0, help="end after so many events")
    push = commands.add_parser("publish", help="publish one event and print its stamp")
    push.add_argument("--url", required=True, help="NATS server, e.g. nats://127.0.0.1:4222")
    push.add_argument("--channel", required=True)
    push.add_argument("--value", type=_json, help="the Any, or the body, as JSON")
    push.add_argument("--can", type=_identifier, help="CAN identifier; a CAN frame is the Any")
    push.add_argument("--data", type=bytes.fromhex, default=b"", help="the frame's data, hex")
    push.add_argument("--standard", action="store_true", help="an 11-bit identifier")
    push.add_argument("--type", help="type name; makes the event a structured one")
    push.add_argument("--domain", default="", help="domain name")
    push.add_argument("--name", default="", help="event name")
    push.add_argument("--set", type=_member, action="append", default=[], help="NAME=JSON")
    push.add_argument("--origin", help="name in the stamp")
    push.add_argument("--time-us", type=int, help="producer's time, µs since 1970 UTC")
    return parser


if __name__ == "__main__":
    sys.exit(main())
