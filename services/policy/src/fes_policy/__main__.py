"""Start the policy service: `python -m fes_policy --nats URL --building-id B --building FILE …`."""

import asyncio
import sys
from argparse import Namespace

from eventservices.errors import EventServiceError
from serving.command import command
from serving.ending import until_asked
from serving.server import HttpServer

from fes_policy import settings
from fes_policy.app import make_app
from fes_policy.building import load_building
from fes_policy.conflicts import conflicts
from fes_policy.engine import Engine
from fes_policy.errors import PolicyError
from fes_policy.rules import load_rules
from fes_policy.server import PolicyServer
from fes_policy.whereabouts import Whereabouts

BAD_INPUT = 2


def main() -> None:
    """Run until it is stopped."""
    raise SystemExit(command("fes-policy", _main))


def _main() -> int:
    options = settings.read()
    try:
        asyncio.run(until_asked(_serve(options)))
    except (PolicyError, EventServiceError, OSError) as error:
        sys.stderr.write(f"fes-policy: {error}\n")
        return BAD_INPUT
    return 0


async def _serve(options: Namespace) -> None:
    building, rules = load_building(options.building), load_rules(options.rules)
    for line in await asyncio.to_thread(conflicts, rules, building):
        sys.stderr.write(f"fes-policy: {options.rules}: {line}\n")
    engine = Engine(rules, building, Whereabouts(building))
    async with PolicyServer(options.nats, options.building_id, engine, options.log) as server:
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
