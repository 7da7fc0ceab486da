"""Start the policy service: `python -m fes_policy --nats URL --building-id B --building FILE …`."""

import sys
from argparse import Namespace
from pathlib import Path
from threading import Thread

from eventservices.errors import EventServiceError
from serving.command import command
from serving.service import run_service, serve_http

from fes_policy import settings
from fes_policy.app import make_app
from fes_policy.building import Building, load_building
from fes_policy.conflicts import conflicts
from fes_policy.engine import Engine
from fes_policy.errors import PolicyError
from fes_policy.rules import Rules, load_rules
from fes_policy.server import PolicyServer
from fes_policy.whereabouts import Whereabouts

NAME = "fes-policy"


def main() -> None:
    """Run until it is stopped."""
    raise SystemExit(command(NAME, _main))


def _main() -> int:
    faults = (PolicyError, EventServiceError, OSError)
    return run_service(NAME, _serve(settings.read()), faults)


async def _serve(options: Namespace) -> None:
    building, rules = load_building(options.building), load_rules(options.rules)
    engine = Engine(rules, building, Whereabouts(building))
    async with PolicyServer(options.nats, options.building_id, engine, options.log) as server:
        # It tries many cases: decisions do not wait for it, nor does the end of the process.
        Thread(target=_report, args=(rules, building, options.rules), daemon=True).start()
        await serve_http(make_app(server), options.host, options.port)


def _report(rules: Rules, building: Building, path: Path) -> None:
    for line in conflicts(rules, building):
        sys.stderr.write(f"{NAME}: {path}: {line}\n")


if __name__ == "__main__":
    main()
