"""Settings: the command line, and the environment for what it leaves out."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from eventservices.cns.domains.qos import CycleDetection, DiamondDetection
from serving.parser import LineParser
from serving.variables import add_option, variable_of

PREFIX: Final = "EVENT_DOMAINS_"
DEFAULT_PORT: Final = 8091
DEFAULT_JOURNAL: Final = "event-domains.sqlite"


def read(arguments: Sequence[str], environment: Mapping[str, str]) -> argparse.Namespace:
    """Return the settings; `EVENT_DOMAINS_…` replaces options that are left out.

    A setting that is unknown or not valid ends the process with status 2 and one line.
    """
    parser = LineParser(prog="event-domains", description="Manages event domains.")

    def add(option: str, kind: Any, default: object, explain: str) -> None:
        variable = variable_of(PREFIX, option)
        add_option(parser, variable, environment, option, kind, default, explain)

    add("--journal", Path, DEFAULT_JOURNAL, "file that keeps the domains")
    add("--host", str, "127.0.0.1", "address to listen on")
    add("--port", _port, DEFAULT_PORT, "port to listen on; 0 for a free one")
    add("--endpoint", Path, None, "file that is to name the address that it listens on")
    add("--interfaces", Path, None, "TOML file that declares the interfaces of typed channels")
    add("--logs", Path, "event-logs", "folder that keeps the records of logs")
    add("--name", _name, "domains", "names it at brokers; the same over restarts")
    add("--poll-s", _seconds, 0.1, "seconds between two looks of a pull connection")
    add("--most-connections", _count, 64, "connections that an event passes in a cycle")
    shipped = "default of a new domain: forbid, or authorize as the standard"
    add("--cycles", _cycles, "forbid", shipped)
    add("--diamonds", _diamonds, "forbid", shipped)
    return parser.parse_args(arguments)


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:6]) <= 65_535):
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is not a port, 0 to 65535")
    return int(text)


def _seconds(text: str) -> float:
    value = float(text)
    if not 0.001 <= value <= 3600:
        raise argparse.ArgumentTypeError(f"{text} is not 0.001 to 3600 seconds")
    return value


def _count(text: str) -> int:
    value = int(text)
    if not 1 <= value <= 1_000_000:
        raise argparse.ArgumentTypeError(f"{text} is not 1 to 1000000")
    return value


def _name(text: str) -> str:
    if not (text.isascii() and text.replace("-", "").isalnum() and len(text) <= 60):
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not letters, digits and hyphens")
    return text


def _cycles(text: str) -> CycleDetection:
    return CycleDetection(_chosen(text))


def _diamonds(text: str) -> DiamondDetection:
    return DiamondDetection(_chosen(text))


def _chosen(text: str) -> int:
    if text not in {"authorize", "forbid"}:
        raise argparse.ArgumentTypeError(f"{text[:60]!r} is neither authorize nor forbid")
    return int(text == "forbid")
