"""Start a naming server: `python -m fes_naming --nats URL --building B --server S --links FILE`."""

import asyncio
import logging
import sys
from argparse import Namespace

from eventservices.errors import EventServiceError
from serving.command import command
from serving.ending import until_asked
from serving.server import HttpServer

from fes_naming import settings
from fes_naming.app import make_app
from fes_naming.links import LinksError, read_links
from fes_naming.server import NamingServer

log = logging.getLogger(__name__)

BAD_INPUT = 2


def main() -> None:
    """Run until it is stopped."""
    raise SystemExit(command("fes-naming", _main))


def _main() -> int:
    options = settings.read()
    try:
        asyncio.run(until_asked(_serve(options)))
    except (LinksError, EventServiceError, OSError) as error:
        sys.stderr.write(f"fes-naming: {error}\n")
        return BAD_INPUT
    return 0


async def _serve(options: Namespace) -> None:
    links = read_links(options.links)
    async with NamingServer(
        options.nats, options.building, options.server, links, options.store
    ) as server:
        http = HttpServer(make_app(server), options.host, options.port)
        await http.start()
        sys.stdout.write(f"ready {http.url}\n")
        sys.stdout.flush()
        try:
            await asyncio.Event().wait()
        finally:
            await http.stop()


if __name__ == "__main__":
    main()
