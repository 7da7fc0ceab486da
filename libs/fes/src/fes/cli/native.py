"""`fes listen` and `fes publish`: receive from and publish to one event service of a file."""

import asyncio
from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from os import getpid
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from eventservices.stamp import Stamp, Stamper

from fes.adapter.assemble import assemble
from fes.adapter.base import AnyAdapter
from fes.adapter.context import Subscription
from fes.adapter.inbound.acknowledgements import Answer
from fes.adapter.observed import Observed
from fes.adapter.pool import ConnectionPool
from fes.errors import FederationError, FesError
from fes.federation import FederationClock, load
from fes.filter import Filter
from fes.mapping import Native
from fes.model import Event
from fes.model.text import from_json, to_json

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


EXAMPLE: Final = '{"subject": "hall", "parameters": {"celsius": 35.5}}'
"""An event, for who is about to write one."""


def add_parsers(subparsers: "_SubParsersAction[ArgumentParser]") -> None:
    """Add the commands to the command line of `fes`."""
    listen = subparsers.add_parser(
        "listen", help="print the events of an event service, mapped, as JSON, one a line"
    )
    _add_place(listen)
    listen.add_argument("--filter", default="", help="in the filter language; all without it")
    listen.add_argument("--number", type=int, default=0, metavar="N", help="end after N events")
    publish = subparsers.add_parser("publish", help="publish events on an event service")
    _add_place(publish)
    publish.add_argument(
        "events", nargs="+", metavar="EVENT", help=f"as JSON, as listen shows them: {EXAMPLE}"
    )


def listen(options: Namespace, environment: Mapping[str, str], out: TextIO) -> int:
    """Print events until there are enough, or until interrupted.

    Raises:
        FesError: The file is not valid, or the event service cannot be reached.
    """
    return asyncio.run(_listen(options, environment, out))


def publish(options: Namespace, environment: Mapping[str, str], out: TextIO) -> int:
    """Publish events, each with a stamp of its own.

    Raises:
        FesError: The file or an event is not valid, or the event service does not accept it.
    """
    return asyncio.run(_publish(options, environment, out))


class _Printer:
    """Prints what an adapter receives, and counts it."""

    def __init__(self, adapter: AnyAdapter, filter_: Filter, most: int, out: TextIO) -> None:
        self.enough = asyncio.Event()
        self._mapping = adapter.context.mapping
        self._filter = filter_
        self._left = most
        self._out = out

    def heard(self, native: Native, stamp: Stamp | None, answer: Answer | None = None) -> None:
        """Print an event that the filter accepts."""
        del stamp
        try:
            events = [event for event, _ in self._mapping.to_events(native)]
        except FesError as error:
            self.set_aside(str(error), b"")
            events = []
        for event in events:
            if not self.enough.is_set() and self._filter.matches(event):
                self._out.write(to_json(event) + "\n")
                self._out.flush()
                self._left -= 1
                if self._left == 0:
                    self.enough.set()
        if answer is not None:
            answer(True)

    def heard_control(self, event: Event, stamp: Stamp | None) -> None:
        """Ignore a control event: it is for gateways."""

    def observed(self, seen: Observed) -> None:
        """Ignore a declaration."""

    def set_aside(self, reason: str, raw: bytes) -> None:
        """Print why a native message is not an event."""
        self._out.write(f"# not an event: {reason} ({raw[:60]!r})\n")
        self._out.flush()


class _Deaf:
    """Ignores everything: a publisher subscribes to nothing."""

    def heard(self, *_: object) -> None:
        """Ignore it."""

    def heard_control(self, *_: object) -> None:
        """Ignore it."""

    def observed(self, *_: object) -> None:
        """Ignore it."""

    def set_aside(self, *_: object) -> None:
        """Ignore it."""


async def _listen(options: Namespace, environment: Mapping[str, str], out: TextIO) -> int:
    adapter = _adapter(options, environment)
    filter_ = Filter.of(options.filter)
    printer = _Printer(adapter, filter_, options.number, out)
    async with _connected(adapter, printer):
        out.writelines(
            f"# widened: {text}\n" for text in await adapter.subscribe(Subscription(1, filter_))
        )
        out.write(f"# listening to {options.service}\n")
        out.flush()
        try:
            await printer.enough.wait()
        finally:
            await adapter.unsubscribe(Subscription(1, filter_))
    return 0


async def _publish(options: Namespace, environment: Mapping[str, str], out: TextIO) -> int:
    adapter = _adapter(options, environment)
    events = [_event(number, text) for number, text in enumerate(options.events, 1)]
    stamper = Stamper(adapter.id, options.service, clock_us=adapter.context.clock_us)
    async with _connected(adapter, _Deaf()):
        for event in events:
            natives = adapter.context.mapping.to_native(event)
            for native in natives:
                await adapter.announce(native)
                await adapter.publish(native, stamper.next())
            if not natives:
                raise FesError(f"no rule makes a native event of {event.subject!r}")
        await adapter.probe()  # the event service has accepted all that was published before
    out.write(f"published {len(events)} at {options.service}\n")
    return 0


def _event(number: int, text: str) -> Event:
    """Return the event that an argument is.

    Raises:
        FesError: Raised when it is none; the message states which, why, and what one looks like.
    """
    try:
        return from_json(text)
    except FesError as error:
        raise FesError(f"event {number}: {error}; one is {EXAMPLE}") from error


@asynccontextmanager
async def _connected(adapter: AnyAdapter, sink: "_Printer | _Deaf") -> "AsyncIterator[None]":
    await adapter.connect(sink)
    try:
        yield
    finally:
        await adapter.disconnect()


def _adapter(options: Namespace, environment: Mapping[str, str]) -> AnyAdapter:
    """Return an adapter with a name of its own and the mapping of the gateway's adapter."""
    federation = load(options.federation, environment)
    service = options.service
    names = [name for name, each in federation.gateways.items() if service in each.adapters]
    if not names:
        known = ", ".join(federation.event_services)
        raise FederationError(f"no gateway is attached to {service!r}; there are: {known}")
    clock = FederationClock.of(federation.clock)
    made = assemble(
        federation,
        names[0],
        service,
        pool=ConnectionPool(),
        clock=clock,
        base=options.federation.parent,
    )
    name = f"fes-{options.command}-{getpid()}.{service}"
    return type(made)(replace(made.context, id=name, hears_control=False))


def _add_place(parser: ArgumentParser) -> None:
    parser.add_argument("federation", type=Path, metavar="FILE", help="the federation's file")
    parser.add_argument("service", metavar="SERVICE", help="an event service of the file")
