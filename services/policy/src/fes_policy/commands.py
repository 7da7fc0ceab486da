"""`fes policy check | explain | test`."""

from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from eventservices.bus.wire.policy import Question

from fes_policy.building import Building, load_building
from fes_policy.cases import failures, load_cases
from fes_policy.conflicts import conflicts
from fes_policy.engine import Engine, shown
from fes_policy.errors import PolicyError
from fes_policy.rules import load_rules
from fes_policy.whereabouts import Whereabouts

FINDINGS = 1
HELP = "check, explain and test the rules of a building"


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    commands = parser.add_subparsers(dest="policy_command", required=True, metavar="WHAT")
    check = commands.add_parser("check", help="report what rules have no effect; status 1 for any")
    explain = commands.add_parser("explain", help="show a decision and the rules that led to it")
    test = commands.add_parser(
        "test", help="compare decisions with a file; status 1 where they differ"
    )
    for each in (check, explain, test):
        each.add_argument("rules", type=Path, metavar="RULES", help="file of Cedar")
        each.add_argument("--building", type=Path, required=True, help="users, places, events")
    test.add_argument("cases", type=Path, metavar="FILE", help="questions and expected decisions")
    explain.add_argument("--user", required=True)
    explain.add_argument("--event", required=True)
    explain.add_argument("--device", default="desk")
    explain.add_argument("--place", default="")


def run(options: Namespace, out: TextIO) -> int:
    """Run the command and return its status.

    Raises:
        PolicyError: A file is not valid.
    """
    building = load_building(options.building)
    rules = load_rules(options.rules)
    if options.policy_command == "explain":
        return _explain(Engine(rules, building, Whereabouts(building)), building, options, out)
    if options.policy_command == "test":
        cases = load_cases(options.cases)
        found = failures(cases, rules, building)
        failed = len({each.partition(":")[0] for each in found})
        done = f"{len(cases) - failed} of {len(cases)} cases as expected"
    else:
        found, done = conflicts(rules, building), f"{len(rules.rules)} rules"
    out.writelines(f"{options.rules}: {line}\n" for line in found)
    out.write(f"{done}\n")
    return FINDINGS if found else 0


def _explain(engine: Engine, building: Building, options: Namespace, out: TextIO) -> int:
    now_us = int(datetime.now(UTC).timestamp() * 1e6)
    if options.place:
        place, user = building.places.get(options.place), building.users.get(options.user)
        if place is None or not place.stations or user is None or not user.badges:
            raise PolicyError(
                f"{options.user} cannot be at {options.place!r}: no station, or no badge"
            )
        engine.whereabouts.sighted(place.stations[0], user.badges[0], now_us)
    found = engine.decide(Question(options.user, options.event, options.device, ""), now_us)
    out.write(f"{'permit' if found.decision.permit else 'forbid'}\n")
    for each in shown(found.rules):
        filter_ = f", filter {each['filter']}" if each["filter"] else ""
        out.write(f"  {each['effect']} {each['rule']}{filter_}\n")
    out.writelines(f"  context {name} = {value}\n" for name, value in sorted(found.context.items()))
    return 0
