"""Every option of every command is read by the program that takes it."""

import argparse
import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from active_badge import settings as badge_settings
from analytics import settings as analytics_settings
from can_sim import settings as can_sim_settings
from event_domain_scenario import __main__ as domain_scenario
from event_domains import settings as domains_settings
from eventservices.cns import __main__ as cns
from eventservices.cosmic import __main__ as cosmic
from eventservices.siena import __main__ as siena
from eventservices.steam import __main__ as steam
from fes.adapter import __main__ as adapter
from fes.cli import main as fes
from fes_gateway import __main__ as gateway
from fes_naming import settings as naming_settings
from fes_policy import settings as policy_settings
from persistent_scenario import settings as persistent_settings
from traffic_control import settings as city_settings
from traffic_control_events import settings as events_settings
from traffic_control_events.natives import __main__ as natives
from traffic_scenario import settings as traffic_settings

ROOT = Path(__file__).parents[3]

SOURCES = {
    "fes": "libs/fes/src/fes",
    "fes.adapter": "libs/fes/src/fes",
    "fes-gateway": "services/gateway/src",
    "can-sim": "services/can-sim/src",
    "traffic-control": "services/traffic-control/src",
    "event-domains": "services/event-domains/src",
    "fes-event-domain": "scenarios/event-domain/src",
    "fes-analytics": "services/analytics/src",
    "fes-traffic": "scenarios/traffic/src",
    "fes-persistent": "scenarios/persistent/src",
    "fes-traffic-control-events": "scenarios/traffic-control-events/src",
    "natives": "scenarios/traffic-control-events/src",
    "cns": "libs/eventservices/src/eventservices/cns",
    "siena": "libs/eventservices/src/eventservices/siena",
    "steam": "libs/eventservices/src/eventservices/steam",
    "cosmic": "libs/eventservices/src/eventservices/cosmic",
    "fes-naming": "services/naming/src",
    "fes-policy": "services/policy/src",
    "fes-active-badge": "scenarios/active-badge/src",
}

ADDED = {"fes": ("services/naming/src", "services/policy/src")}
"""Where commands are that services add to a program."""


def read_with(read: object, *arguments: object) -> argparse.ArgumentParser:
    """Return the parser that a function makes for itself, caught when it is about to parse."""
    assert callable(read)
    caught: list[argparse.ArgumentParser] = []

    def catch(parser: argparse.ArgumentParser, *_: object) -> argparse.Namespace:
        caught.append(parser)
        raise InterruptedError

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(argparse.ArgumentParser, "parse_args", catch)
        with pytest.raises(InterruptedError):
            read(*arguments)
    return caught[0]


def parsers() -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each command."""
    return {
        "fes": fes._parser(),
        "fes.adapter": read_with(adapter._options),
        "fes-gateway": read_with(gateway._options),
        "can-sim": read_with(can_sim_settings.read, [], {}),
        "traffic-control": read_with(city_settings.read, [], {}),
        "event-domains": read_with(domains_settings.read, [], {}),
        "fes-event-domain": read_with(domain_scenario._main, []),
        "fes-analytics": read_with(analytics_settings.read, [], {}),
        "fes-traffic": read_with(traffic_settings.read, []),
        "fes-persistent": read_with(persistent_settings.read, []),
        "fes-traffic-control-events": read_with(events_settings.read, []),
        "natives": natives._parser(),
        "cns": cns._parser(),
        "siena": siena._parser(),
        "steam": steam._parser(),
        "cosmic": cosmic._parser(),
        "fes-naming": read_with(naming_settings.read, []),
        "fes-policy": read_with(policy_settings.read, []),
        "fes-active-badge": read_with(badge_settings.read, []),
    }


def options_of(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield where each option, and each argument, of a parser and its subcommands is kept."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from options_of(below)
        if action.dest not in (argparse.SUPPRESS, "help"):
            yield action.dest


def reads_in(folder: Path) -> set[str]:
    """Return the names that modules read as attributes, or as texts of `getattr` loops."""
    found: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                of = node.value
                if isinstance(of, ast.Name) and of.id in ("options", "given", "parsed", "settings"):
                    found.add(node.attr)
            elif isinstance(node, ast.For | ast.comprehension) and isinstance(node.iter, ast.Tuple):
                found |= {
                    each.value
                    for each in node.iter.elts
                    if isinstance(each, ast.Constant) and isinstance(each.value, str)
                }
    return found


@pytest.mark.parametrize("program", SOURCES)
def test_every_option_is_read(program: str) -> None:
    options = set(options_of(parsers()[program]))
    assert options
    read = reads_in(ROOT / SOURCES[program])
    for folder in ADDED.get(program, ()):
        read |= reads_in(ROOT / folder)
    assert options - read == set()


def test_every_program_with_options_is_looked_at() -> None:
    assert parsers().keys() == SOURCES.keys()
