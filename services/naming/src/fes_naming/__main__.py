"""Start a naming server: `python -m fes_naming --nats URL --building B --server S --links FILE`."""

from argparse import Namespace

from eventservices.errors import EventServiceError
from serving.command import command
from serving.service import run_service, serve_http

from fes_naming import settings
from fes_naming.app import make_app
from fes_naming.links import LinksError, read_links
from fes_naming.server import NamingServer

NAME = "fes-naming"


def main() -> None:
    """Run until it is stopped."""
    raise SystemExit(command(NAME, _main))


def _main() -> int:
    faults = (LinksError, EventServiceError, OSError)
    return run_service(NAME, _serve(settings.read()), faults)


async def _serve(options: Namespace) -> None:
    links = read_links(options.links)
    async with NamingServer(
        options.nats, options.building, options.server, links, options.store
    ) as server:
        await serve_http(make_app(server), options.host, options.port)


if __name__ == "__main__":
    main()
