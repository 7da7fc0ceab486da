"""`traffic-control serve`: runs the city until a signal ends it."""

import asyncio
import json
import logging
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from eventservices.ending import beside
from serving.clocks import wall_us
from serving.ending import ending_event
from serving.files import write_whole
from serving.guard import BodyGuard
from serving.loopback import async_client
from serving.origin import OriginGuard
from serving.server import HttpServer

from traffic_control.city import City
from traffic_control.commander import Commander
from traffic_control.confirm import Confirmer
from traffic_control.endpoints import Endpoints
from traffic_control.history import read_history, read_offenders
from traffic_control.http.app import make_app
from traffic_control.jsonlines import JsonLines
from traffic_control.limits import Limits
from traffic_control.offenders import Offenders
from traffic_control.office import Office
from traffic_control.siena import Siena

log = logging.getLogger(__name__)
T = TypeVar("T")

COMMANDS: Final = "commands.jsonl"
OFFENDERS: Final = "offenders.jsonl"

FLUSH_S: Final = 0.1
ANSWER_S: Final = 5.0
BODY_BYTES: Final = 64 * 1024
WITHDRAW_S: Final = 3.0
"""Longest wait for the limits' withdrawal when stopping."""

NAME: Final = "traffic-control"
"""Host name under which other containers reach it."""

WHERE: Final = "traffic-control.json"
"""File in the run folder that states where the running traffic-control listens."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """Options of a running city.

    Attributes:
        run: The run folder.
        host: Address to listen on.
        port: Port; with 0 the system chooses one.
        renew_s: Time between two renewals of a limit, seconds.
        lease_s: How long a limit lasts without renewal, seconds.
        endpoints: File that states where the gateways listen.
    """

    run: Path
    host: str
    port: int
    renew_s: float
    lease_s: float
    endpoints: Path


async def serve(options: ServeOptions, city: City, stop: asyncio.Event | None = None) -> None:
    """Run until a signal requests the end, or `stop` is set; then withdraw the limits.

    Raises:
        InputError: The SIENA service's settings are not valid.
        OSError: A file cannot be opened, or the address is in use.
    """
    stopping = stop or ending_event()
    async with _office(options, city) as office, beside(_flush(office.logs), "flush"):
        names = (options.host, socket.gethostname(), NAME)
        guarded = OriginGuard(make_app(office), names)
        server = HttpServer(BodyGuard(guarded, BODY_BYTES), options.host, options.port)
        await server.start()
        _tell_where(options.run, server.url)
        log.info("started", extra={"url": server.url, "monitors": len(city.monitors)})
        try:
            async with (
                beside(_command(office), "command") as commanding,
                beside(stopping.wait(), "stop") as told,
            ):
                done, _ = await asyncio.wait(
                    (commanding, told), return_when=asyncio.FIRST_COMPLETED
                )
                for task in done:
                    task.result()
        finally:
            await server.stop()
            await office.limits.withdraw(WITHDRAW_S)
    log.info("stopped", extra={"offenders": office.offenders.count})


@asynccontextmanager
async def _office(options: ServeOptions, city: City) -> AsyncIterator[Office]:
    path = options.run / COMMANDS
    alive_us = wall_us() - round(options.lease_s * 1e6)
    left = read_history(path, max(city.wall_start_us, alive_us))
    with (
        closing(JsonLines(path, "sent_us", city.wall_start_us)) as commands,
        closing(JsonLines(options.run / OFFENDERS, "wall_us", city.wall_start_us)) as offences,
    ):
        earlier = read_offenders(options.run / OFFENDERS, city.wall_start_us)
        offenders = Offenders(offences.append, wall_us, earlier=earlier)
        async with (
            async_client(ANSWER_S) as http,
            Siena(city, offenders.take) as siena,
        ):
            confirms = Confirmer(Endpoints(options.endpoints), http)
            commander = Commander(siena, confirms, commands.append, options.lease_s)
            limits = Limits(city.monitors, commander, options.renew_s, left)
            yield Office(siena, commander, limits, offenders, (commands, offences))


async def _command(office: Office) -> None:
    await office.siena.connect()
    log.info("connected", extra={"service": "siena"})
    await asyncio.gather(office.limits.run(), office.siena.watch())


async def _flush(logs: tuple[JsonLines, ...]) -> None:
    while True:
        await asyncio.sleep(FLUSH_S)
        for each in logs:
            each.flush()


def _tell_where(run: Path, url: str) -> None:
    write_whole(run / WHERE, json.dumps({"url": url, "pid": os.getpid()}) + "\n")
