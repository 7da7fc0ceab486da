"""Start a process of gateways: `fes-gateway --federation FILE --run FOLDER --gateways g1,g2`."""

import argparse
import asyncio
import json
import os
import socket
import sys

import uvloop
from fes.errors import FederationError, FesError
from fes.federation.load import load
from fes.federation.locate import located
from fes.federation.model import Federation, adapter_id
from fes.options import OptionParser, add_part, port
from msgspec import UNSET
from serving import diagnostics
from serving.command import command
from serving.ending import ending_event
from serving.readiness_file import sign_of_life
from serving.server import callable_host

from fes_gateway.http.server import server_of
from fes_gateway.linkserver import LinkServer
from fes_gateway.memory import check_memory, size_of
from fes_gateway.pack import Pack, PackSettings

HOSTNAME = "@hostname"
"""Replica name that is replaced by the machine's name: each container has its own."""

FAILED = 1
"""Exit status of a process in which a part failed that only a new start restores."""

TOLD_S = 1.0
"""How long a process in which a part failed continues, so that probes and metrics show the
reason."""


def main() -> int:
    """Run until a signal ends it; a bad file or option ends it with status 2 and one line.

    Where a gateway fails, the process ends with status 1, as if it were killed: native
    subscriptions stay, and a supervisor starts it again.
    """
    return command("fes-gateway", _main)


def _main() -> int:
    options = _options()
    try:
        federation = load(options.federation, os.environ)
        settings = PackSettings(
            process=_process(options),
            gateways=_gateways(federation, options.gateways),
            remote=_remote(federation, options.remote),
            run=options.run,
            replica=_replica(options),
            clock=options.clock,
        )
        check_memory(federation, settings, options.memory_limit)
        pack = Pack(federation, settings, options.base or options.federation.parent)
    except FesError as error:
        sys.stderr.write(f"fes-gateway: {located(error, options.federation, os.environ)}\n")
        return 2
    diagnostics.set_up()
    pack.collector.settle()
    uvloop.run(_serve(pack, options))
    return 0


async def _serve(pack: Pack, options: argparse.Namespace) -> None:
    stop = ending_event()
    links = LinkServer(pack.hosts, options.host, options.link_port)
    names = filter(None, options.names.split(","))
    http = server_of(pack, *_interface(pack, options), names)
    async with pack, sign_of_life(options.ready_file, lambda: pack.ready):
        await links.start()
        await http.start()
        started = {
            "http": http.url,
            "link": f"ws://{callable_host(options.host)}:{links.port}/link",
        }
        sys.stdout.write(json.dumps({"started": pack.settings.process, **started}) + "\n")
        sys.stdout.flush()
        if await _first_of(stop, pack.failed) is pack.failed:
            await asyncio.sleep(TOLD_S)
            pack.abandon()
            os._exit(FAILED)
        await http.stop()
        await links.stop()


def _interface(pack: Pack, options: argparse.Namespace) -> tuple[str, int]:
    """Return where the REST interface listens.

    By the options, else by `http` of the only gateway.
    """
    names = pack.settings.gateways
    told = pack.federation.gateways[names[0]].http if len(names) == 1 else UNSET
    host, port = (options.host, 0) if told is UNSET else (told.host, told.port)
    return (
        host if options.http_host is None else options.http_host,
        port if options.http_port is None else options.http_port,
    )


async def _first_of(*events: asyncio.Event) -> asyncio.Event:
    """Wait for the first of some events to be set, and return it."""
    waiting = [asyncio.create_task(event.wait()) for event in events]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for each in waiting:
        each.cancel()
    return next(event for event in reversed(events) if event.is_set())


def _gateways(federation: Federation, told: str) -> tuple[str, ...]:
    """Return the gateways that this process hosts.

    Raises:
        FederationError: One is not in the file.
    """
    names = tuple(name for name in told.split(",") if name) or tuple(federation.gateways)
    for name in names:
        if name not in federation.gateways:
            raise FederationError(f"{name!r} is not in the federation's file", key="--gateways")
    return names


def _replica(options: argparse.Namespace) -> str:
    return socket.gethostname() if options.replica == HOSTNAME else options.replica


def _process(options: argparse.Namespace) -> str:
    name = options.process or options.gateways.replace(",", "-")[:60] or "gateways"
    replica = _replica(options)
    return f"{name}-{replica}" if replica else name


def _remote(federation: Federation, told: str) -> frozenset[str]:
    """Return the adapters that run in other processes."""
    if told != "all":
        return frozenset(name for name in told.split(",") if name)
    return frozenset(
        adapter_id(name, service)
        for name, gateway in federation.gateways.items()
        for service in gateway.adapters
    )


def _options() -> argparse.Namespace:
    parser = OptionParser("fes-gateway", "Gateways of a federation.", os.environ)
    add_part(parser)
    parser.option("--gateways", "their identifiers, separated by commas; default: all", default="")
    parser.option("--remote", "their adapters that run in other processes, or `all`", default="")
    parser.option("--process", "name of the process, for its logs", default="")
    parser.option(
        "--replica",
        f"its name, where the gateways have replicas; `{HOSTNAME}`: the machine's name",
        default="",
    )
    parser.option(
        "--memory-limit",
        "most bytes that the process may use, e.g. 150m; default: not checked",
        kind=size_of,
        default=0,
    )
    parser.option("--host", "address to listen on", default="127.0.0.1")
    parser.option("--names", "further host names in requests, separated by commas", default="")
    parser.option("--http-host", "REST address; default: `http` of the gateway, else --host")
    parser.option("--http-port", "its port; default: `http` of the gateway, else free", kind=port)
    parser.option("--link-port", "port that adapters dial", kind=port, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
