"""Start a process of gateways: `fes-gateway --federation FILE --run FOLDER --gateways g1,g2`."""

import argparse
import asyncio
import json
import os
import signal
import socket
import sys

import uvloop
from fes.adapter.sign import sign_of_life
from fes.errors import FederationError, FesError
from fes.federation.load import load
from fes.federation.model import Federation, adapter_id
from fes.options import OptionParser, add_part, port
from serving import diagnostics

from fes_gateway.http.server import server_of
from fes_gateway.linkserver import LinkServer
from fes_gateway.memory import check_memory, size_of
from fes_gateway.pack import Pack, PackSettings

HOSTNAME = "@hostname"
"""Stands for a replica's name that is the machine's: of containers, each has its own."""


def main() -> None:
    """Run until SIGTERM or SIGINT; a bad file or option ends with status 2 and one line."""
    options = _options()
    try:
        federation = load(options.federation, os.environ)
        settings = PackSettings(
            process=_process(options),
            gateways=_gateways(federation, options.gateways),
            remote=_remote(federation, options.remote),
            run=options.run,
            replica=_replica(options),
        )
        check_memory(federation, settings, options.memory_limit)
        pack = Pack(federation, settings, options.base or options.federation.parent)
    except FesError as error:
        sys.stderr.write(f"fes-gateway: {error}\n")
        raise SystemExit(2) from error
    diagnostics.set_up()
    uvloop.run(_serve(pack, options))


async def _serve(pack: Pack, options: argparse.Namespace) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    links = LinkServer(pack.hosts, options.host, options.link_port)
    names = filter(None, options.names.split(","))
    http = server_of(pack, options.host, options.http_port, names)
    async with pack, sign_of_life(options.ready_file, lambda: pack.ready):
        await links.start()
        await http.start()
        started = {"http": http.url, "link": f"ws://{options.host}:{links.port}/link"}
        sys.stdout.write(json.dumps({"started": pack.settings.process, **started}) + "\n")
        sys.stdout.flush()
        await stop.wait()
        await http.stop()
        await links.stop()


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
    """Return the adapters that live in other processes."""
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
    parser.option("--gateways", "their identifiers, by commas; all where absent", default="")
    parser.option("--remote", "their adapters that live elsewhere, or `all`", default="")
    parser.option("--process", "name of the process, for its logs", default="")
    parser.option(
        "--replica",
        f"its name, where the same gateways run several times; `{HOSTNAME}`: as the machine's",
        default="",
    )
    parser.option(
        "--memory-limit",
        "bytes that the process may take, e.g. 150m; not checked where absent",
        kind=size_of,
        default=0,
    )
    parser.option("--host", "address to listen on", default="127.0.0.1")
    parser.option("--names", "further names of this machine in requests, by commas", default="")
    parser.option("--http-port", "of the REST interface", kind=port, default=0)
    parser.option("--link-port", "where adapters dial in", kind=port, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
