"""Settings from the command line, and from the environment for absent options."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn

from serving.variables import add_option, variable_of

from traffic_control.errors import InputError
from traffic_control.limit import check_limit, number

PREFIX: Final = "TRAFFIC_CONTROL_"
DEFAULT_RUN: Final = "runs/latest"
DEFAULT_PORT: Final = 8090


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise an error whose message is one line."""
        raise InputError(f"{self.prog}: {message}")


def read(arguments: Sequence[str], environment: Mapping[str, str]) -> argparse.Namespace:
    """Return the settings of a command.

    `TRAFFIC_CONTROL_RUN`, `…_FEDERATION`, `…_HOST`, `…_PORT`, `…_RENEW_S`, `…_LEASE_S`,
    `…_ENDPOINTS` and `…_URL` set options that are absent.

    Raises:
        InputError: A setting is unknown or not valid.
    """
    parser = _Parser(prog="traffic-control", description="The city: speed limits and offenders.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    _add_serve(commands.add_parser("serve", help="run the city"), environment)
    show = commands.add_parser("limits", help="show the limits of the running city")
    change = commands.add_parser("set", help="change a monitor's limit in the running city")
    change.add_argument("monitor")
    change.add_argument("limit", type=_limit, help="km/h")
    for one in (show, change):
        _add_run(one, environment)
        _adder(one, environment)("--url", str, None, "its address; default: as in the run folder")
    options = parser.parse_args(arguments)
    if options.command == "serve" and options.lease_s <= options.renew_s:
        raise InputError("traffic-control: --lease-s must be longer than --renew-s")
    return options


def _add_run(parser: argparse.ArgumentParser, environment: Mapping[str, str]) -> None:
    _adder(parser, environment)("--run", Path, DEFAULT_RUN, "the run folder")


def _add_serve(parser: argparse.ArgumentParser, environment: Mapping[str, str]) -> None:
    _add_run(parser, environment)
    add = _adder(parser, environment)
    add(
        "--federation",
        Path,
        None,
        "resolved federation file; default: in the run folder",
    )
    add("--host", str, "127.0.0.1", "address to listen on")
    add("--port", _port, DEFAULT_PORT, "port to listen on; 0 for a free one")
    add("--renew-s", _seconds, 30.0, "seconds between two renewals of a limit")
    add("--lease-s", _seconds, 90.0, "seconds that a limit lasts without renewal")
    add("--endpoints", Path, None, "where gateways listen; endpoints.json in the run folder")


def _adder(
    parser: argparse.ArgumentParser, environment: Mapping[str, str]
) -> Callable[[str, Callable[[str], Any], object, str], None]:
    def add(option: str, kind: Callable[[str], Any], default: object, explain: str) -> None:
        variable = variable_of(PREFIX, option)
        add_option(parser, variable, environment, option, kind, default, explain)

    return add


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:6]) <= 65_535):
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is not a port, 0 to 65535")
    return int(text)


def _seconds(text: str) -> float:
    value = number(text)
    if not 0 < value <= 86_400:
        raise argparse.ArgumentTypeError(f"{text} is not above 0 and at most 86400 seconds")
    return value


def _limit(text: str) -> float:
    try:
        return check_limit(number(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
