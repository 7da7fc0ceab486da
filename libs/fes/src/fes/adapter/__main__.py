"""Start one adapter in a process of its own; it dials its gateway."""

import argparse
import asyncio
import logging
import os
import random
import sys

import uvloop
from eventservices.ending import ended
from serving import diagnostics
from serving.command import command
from serving.ending import ending_event
from serving.readiness_file import sign_of_life

from fes.adapter.assemble import assemble
from fes.adapter.pool import ConnectionPool
from fes.adapter.replicas.dialling import Dialling, links
from fes.adapter.runtime import AdapterRuntime
from fes.errors import FesError
from fes.eventlog import EventLog
from fes.federation.clock import clock_of
from fes.federation.load import load
from fes.federation.locate import located
from fes.link.end import Hello
from fes.options import OptionParser, add_part

_log = logging.getLogger("fes.adapter")


def main() -> int:
    """Run until a signal ends it; a bad file or option ends it with status 2 and one line."""
    return command("fes.adapter", _main)


def _main() -> int:
    options = _options()
    try:
        federation = load(options.federation, os.environ)
        clock = clock_of(federation.clock, options.clock)
        adapter = assemble(
            federation,
            options.gateway,
            options.event_service,
            pool=ConnectionPool(),
            clock=clock,
            base=options.base or options.federation.parent,
        )
    except FesError as error:
        sys.stderr.write(f"fes.adapter: {located(error, options.federation, os.environ)}\n")
        return 2
    bounds = federation.event_log
    log = EventLog(
        options.run / "logs",
        adapter.id,
        file_bytes=bounds.file_bytes,
        files=bounds.files,
        sample=bounds.sample,
    )
    diagnostics.set_up()
    try:
        uvloop.run(_serve(AdapterRuntime(adapter, log), options))
    finally:
        log.close()
    return 0


async def _serve(runtime: AdapterRuntime, options: argparse.Namespace) -> None:
    stop = ending_event()
    adapter = runtime.adapter

    def hello() -> Hello:
        capabilities = adapter.capabilities.by_name()
        return Hello(adapter.id, adapter.event_service_id, runtime.epoch, capabilities)

    board = runtime.multiplexer

    def count_beyond(addresses: int) -> None:
        board.beyond = addresses

    dialling = Dialling(
        options.link,
        runtime.link,
        hello,
        lambda end: end.send(runtime.counted()),
        count_beyond,
        random.Random(f"{adapter.id} {runtime.epoch}"),  # noqa: S311 - jitter of pauses, no secret
        refused=runtime.refused,
        granted=runtime.granted,
    )
    async with runtime, sign_of_life(options.ready_file, lambda: board.linked and runtime.ready):
        told = {"adapter": adapter.id, "event_service": adapter.event_service_id}
        _log.info("adapter_started", extra=told)
        task = asyncio.create_task(dialling.run())
        task.add_done_callback(lambda _: stop.set())
        await stop.wait()
        await runtime.stop()
        _log.info("adapter_stopped", extra=told)
        await ended(task)
        if task.done() and not task.cancelled():
            task.result()  # an error that ended it ends the process, visibly


def _options() -> argparse.Namespace:
    parser = OptionParser("fes.adapter", "One adapter of a federation.", os.environ)
    add_part(parser)
    parser.option("--gateway", "its gateway", required=True)
    parser.option("--event-service", "its event service", required=True)
    parser.option(
        "--link",
        "where its gateway listens, ws://…/link; several separated by commas",
        kind=links,
        required=True,
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
