"""Runs the service until it is stopped."""

import argparse
import asyncio
import json
import logging
import os
import socket
from contextlib import closing
from pathlib import Path
from typing import Final

from eventservices.cns.domains import (
    Brokers,
    DomainOptions,
    DomainQoS,
    EventLogDomainFactory,
    load_interfaces,
)
from serving.collector import collecting
from serving.ending import ending_event
from serving.files import write_whole
from serving.guard import BodyGuard
from serving.origin import OriginGuard
from serving.server import HttpServer

from event_domains.gateways import GatewayClient
from event_domains.http.app import make_app
from event_domains.journal import SqliteJournal

log = logging.getLogger(__name__)

BODY_BYTES: Final = 1024 * 1024
NAME: Final = "event-domains"
"""Name under which other containers reach it."""


async def serve(options: argparse.Namespace, stop: asyncio.Event | None = None) -> None:
    """Run until it is requested to end, or until `stop` is set.

    Raises:
        JournalError: The journal cannot be used.
        InvalidInterfaceError: The file of interfaces is not valid.
        OSError: The address is in use.
    """
    stopping = stop or ending_event()
    defaults = {
        str(DomainQoS.CYCLE_DETECTION): int(options.cycles),
        str(DomainQoS.DIAMOND_DETECTION): int(options.diamonds),
    }
    running = DomainOptions(
        name=options.name,
        most_connections=options.most_connections,
        poll_s=options.poll_s,
        interfaces={} if options.interfaces is None else load_interfaces(options.interfaces),
        logs=options.logs,
        positions=options.journal.with_name(f"{options.journal.name}.positions"),
        subscribing=(gateways := GatewayClient()),
    )
    with closing(SqliteJournal(options.journal)) as journal, collecting() as collector:
        async with EventLogDomainFactory(Brokers(), journal, running, defaults) as factory:
            names = (options.host, socket.gethostname(), NAME)
            guarded = OriginGuard(make_app(factory), names)
            server = HttpServer(BodyGuard(guarded, BODY_BYTES), options.host, options.port)
            await server.start()
            collector.accept_growth()
            try:
                if options.endpoint is not None:
                    _write_endpoint(options.endpoint, server.url)
                domains = len(factory.get_all_domains())
                log.info("started", extra={"url": server.url, "domains": domains})
                await stopping.wait()
            finally:
                await server.stop()
                await gateways.close()
    log.info("stopped")


def _write_endpoint(path: Path, url: str) -> None:
    write_whole(path, json.dumps({"url": url, "pid": os.getpid()}) + "\n")
