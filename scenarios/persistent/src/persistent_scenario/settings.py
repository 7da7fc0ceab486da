"""The command line."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from serving.parser import LineParser

EVENTS, ORIGINS, RATE, KILLS, SEED = 50_000, 8, 500.0, 30, 1
MOST_EVENTS, MOST_ORIGINS, MOST_KILLS = 10_000_000, 1000, 10_000
MOST_RATE = 1_000_000
MOST_REPLICAS = 9
STORES = ("sqlite", "jetstream")
FEDERATION = Path("scenarios/persistent/chain.yaml")


def read(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the settings of a command; a bad one ends the process with status 2.

    Args:
        arguments: Of the command line; the process's own where None.
    """
    parser = LineParser(prog="fes-persistent", description="The persistent scenario.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="run and judge; the exit status is the verdict")
    add = run.add_argument
    add("--federation", type=Path, default=FEDERATION, help=f"default: {FEDERATION}")
    add("--runs", type=Path, default=Path("runs"), help="folder of all runs")
    add(
        "--events",
        type=_between(1, MOST_EVENTS),
        default=EVENTS,
        help="readings that are requested",
    )
    add("--origins", type=_between(1, MOST_ORIGINS), default=ORIGINS, help="stations that publish")
    add(
        "--rate",
        type=_rate,
        default=RATE,
        help="readings a second; 0: as fast as they are accepted",
    )
    add(
        "--kills", type=_between(0, MOST_KILLS), default=KILLS, help="how often something is killed"
    )
    add(
        "--replicas",
        type=_between(1, MOST_REPLICAS),
        default=1,
        metavar="N",
        help="how many processes each gateway has",
    )
    add("--store", choices=STORES, default=STORES[0], help="where gateways keep their journals")
    add("--seed", type=int, default=SEED, help="of the values, and of what is killed when")
    judge = commands.add_parser("judge", help="judge a run once more")
    judge.add_argument("folder", type=Path, metavar="RUNFOLDER")
    for name, what in (("publish", "be the stations of a run"), ("receive", "be its readers")):
        client = commands.add_parser(name, help=what)
        client.add_argument("--run", type=Path, required=True, metavar="RUNFOLDER")
        client.add_argument("--url", required=True, help="the broker")
    return parser.parse_args(arguments)


def _between(least: int, most: int) -> Callable[[str], int]:
    def whole_number(text: str) -> int:
        value = int(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text} is not between {least} and {most}")
        return value

    return whole_number


def _rate(text: str) -> float:
    value = float(text)
    if not 0 <= value <= MOST_RATE:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and {MOST_RATE}")
    return value
