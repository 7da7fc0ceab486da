"""Start one adapter in a process of its own; it dials its gateway."""

import argparse
import asyncio
import os
import random
import signal
import sys
import time
from pathlib import Path

import uvloop

from fes.adapter.assemble import assemble
from fes.adapter.pool import ConnectionPool
from fes.adapter.runtime import AdapterRuntime
from fes.errors import FesError
from fes.eventlog import EventLog
from fes.federation.clock import FederationClock
from fes.federation.load import load
from fes.link.end import Hello
from fes.link.websocket import Dialler, SocketEnd


def main() -> None:
    """Run until SIGTERM or SIGINT; a bad file or option ends with status 2 and one line."""
    options = _options()
    try:
        federation = load(options.federation, os.environ)
        clock = FederationClock.of(federation.clock)
        adapter = assemble(
            federation,
            options.gateway,
            options.event_service,
            pool=ConnectionPool(),
            clock_us=lambda: clock.time_us(time.time_ns() // 1000),
            base=options.base or options.federation.parent,
        )
    except FesError as error:
        sys.stderr.write(f"fes.adapter: {error}\n")
        raise SystemExit(2) from error
    log = EventLog(options.run / "logs", adapter.id, sample=federation.event_log.sample)
    try:
        uvloop.run(_serve(AdapterRuntime(adapter, log), options.link))
    finally:
        log.close()


async def _serve(runtime: AdapterRuntime, url: str) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    adapter = runtime.adapter

    def hello() -> Hello:
        capabilities = adapter.capabilities.by_name()
        return Hello(adapter.id, adapter.event_service_id, runtime.epoch, capabilities)

    def up(end: SocketEnd) -> None:
        runtime.attach(end)

    def down(_reason: str) -> None:
        runtime.detach()

    dialler = Dialler(url, hello, up, down, random.Random(adapter.id))  # noqa: S311 - jitter
    async with runtime:
        dialling = asyncio.create_task(dialler.run(runtime.receive))
        await stop.wait()
        await runtime.stop()
        dialling.cancel()
        await asyncio.gather(dialling, return_exceptions=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="fes.adapter", description=__doc__)
    parser.add_argument("--federation", type=Path, required=True, help="the federation's file")
    parser.add_argument("--base", type=Path, help="where its relative paths start; its folder")
    parser.add_argument("--run", type=Path, required=True, help="folder of the run")
    parser.add_argument("--gateway", required=True)
    parser.add_argument("--event-service", required=True)
    parser.add_argument("--link", required=True, help="where its gateway listens, ws://…/link")
    return parser.parse_args()


if __name__ == "__main__":
    main()
