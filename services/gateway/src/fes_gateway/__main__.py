"""Start a process of gateways: `fes-gateway --federation FILE --run FOLDER --gateways g1,g2`."""

import argparse
import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import uvloop
from fes.errors import FesError
from fes.federation.load import load

from fes_gateway.http.server import HttpServer
from fes_gateway.linkserver import LinkServer
from fes_gateway.pack import Pack, PackSettings


def main() -> None:
    """Run until SIGTERM or SIGINT; a bad file or option ends with status 2 and one line."""
    options = _options()
    names = tuple(name for name in options.gateways.split(",") if name)
    try:
        federation = load(options.federation, os.environ)
        settings = PackSettings(
            process=options.process or "-".join(names)[:60],
            gateways=names or tuple(federation.gateways),
            remote=frozenset(name for name in options.remote.split(",") if name),
            run=options.run,
        )
        pack = Pack(federation, settings, options.base or options.federation.parent)
    except FesError as error:
        sys.stderr.write(f"fes-gateway: {error}\n")
        raise SystemExit(2) from error
    uvloop.run(_serve(pack, options))


async def _serve(pack: Pack, options: argparse.Namespace) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    links = LinkServer(pack.hosts, options.host, options.link_port)
    http = HttpServer(pack, options.host, options.http_port)
    async with pack:
        await links.start()
        await http.start()
        started = {"http": http.url, "link": f"ws://{options.host}:{links.port}/link"}
        sys.stdout.write(json.dumps({"started": pack.settings.process, **started}) + "\n")
        sys.stdout.flush()
        await stop.wait()
        await http.stop()
        await links.stop()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="fes-gateway", description=__doc__)
    parser.add_argument("--federation", type=Path, required=True, help="the federation's file")
    parser.add_argument("--base", type=Path, help="where its relative paths start; its folder")
    parser.add_argument("--run", type=Path, required=True, help="folder of the run")
    parser.add_argument("--gateways", default="", help="their identifiers; all where absent")
    parser.add_argument("--remote", default="", help="their adapters that live elsewhere")
    parser.add_argument("--process", default="", help="name of the process, for its logs")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--http-port", type=int, default=0)
    parser.add_argument("--link-port", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
