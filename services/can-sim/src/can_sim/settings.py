"""Settings: the command line, and the environment for what it leaves out."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from serving.variables import add_option, variable_of

from can_sim.errors import InputError

DEFAULT_URL = "nats://127.0.0.1:4222"
BUSES = ("cns", "cosmic")
DEFAULT_RUN = "runs/latest"
DEFAULT_VEHICLES = 24
DEFAULT_DURATION_S = 120
DEFAULT_SEED = 1
DEFAULT_MONITORS = 4
PREFIX = "CAN_SIM_"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise an error whose message is one line."""
        raise InputError(f"{self.prog}: {message}")


def read(arguments: Sequence[str], environment: Mapping[str, str]) -> argparse.Namespace:
    """Return the settings of a command.

    `CAN_SIM_RUN`, `CAN_SIM_URL`, `CAN_SIM_CLOCK` and so on represent options of `run` that are not
    given; `can-sim run --help` shows each.

    Raises:
        InputError: A setting is unknown or not valid.
    """
    parser = _Parser(
        prog="can-sim", description="A fleet of vehicles that tell their speed on CAN."
    )
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    _add_plan(commands.add_parser("plan", help="write a run's trace.csv and monitors.csv"))
    _add_run(commands.add_parser("run", help="put the frames of a run on the buses"), environment)
    _add_convert(commands.add_parser("convert", help="write a CAN log as candump text"))
    return parser.parse_args(arguments)


def _add_plan(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--out", type=Path, required=True, metavar="RUNFOLDER")
    add("--trace", type=Path, help="CSV, GPX or CAN log; a made-up town without")
    add("--monitors", type=Path, help="CSV; placed along the trace without")
    add("--dbc", type=Path, help="definitions of a CAN log's frames")
    add("--positions", type=Path, help="CSV or GPX: where a CAN log was made")
    add("--signal", default="", help="SIGNAL or MESSAGE.SIGNAL that contains the speed")
    add("--align", action="store_true", help="the positions begin when the CAN log does")
    add(
        "--vehicles", type=_whole(1), help=f"the first N of a trace; {DEFAULT_VEHICLES} in the town"
    )
    add("--duration", type=_number(0.001), help="seconds from the start")
    add("--seed", type=_whole(), default=DEFAULT_SEED, help="of the made-up town")
    add("--monitor-count", type=_whole(1), default=DEFAULT_MONITORS)
    add("--strict", action="store_true", help="refuse bad rows instead of counting them")


def _add_run(parser: argparse.ArgumentParser, environment: Mapping[str, str]) -> None:
    def add(option: str, kind: Callable[[str], object], default: object, explain: str) -> None:
        variable = variable_of(PREFIX, option)
        add_option(parser, variable, environment, option, kind, default, explain)

    add("--run", Path, DEFAULT_RUN, "the run folder")
    add("--bus", _bus, "cns", "what the vehicles have: cns, or cosmic (each its bus in buses.csv)")
    add("--url", str, DEFAULT_URL, "address of the NATS server, several by commas")
    add("--user", str, "", "who it says it is to the server")
    add("--password-file", Path, None, "file with that user's password")
    add("--clock", Path, None, "file that tells the run's clock, instead of the next three")
    add("--speedup", _number(0.001), 1.0, "seconds of the trace in a second")
    add("--clock-start-us", _whole(), None, "trace time when the clock began; the first row's")
    add("--clock-start-wall-us", _whole(), None, "wall time when the clock began; now")
    add("--channel-template", _template, "{vehicle}", "channel of a vehicle")
    add("--home-template", _template, "cns-v-{vehicle}", "event service named in its stamps")
    add("--connect-timeout", _number(0.1), 10.0, "seconds to wait for the broker")
    parser.add_argument("--ground-truth", type=Path, help="default: in the run folder")
    parser.add_argument("--rate", type=_number(0), help="frames a second in all; 0: unpaced")
    parser.add_argument("--frames", type=_whole(1), help="how many, with --rate; all rows")


def _add_convert(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("log", type=Path, help="candump, ASC, BLF or TRC; .gz too")
    parser.add_argument("--out", type=Path, help="standard output without")
    parser.add_argument("--direction", action="store_true", help="add R or T to each line")
    parser.add_argument("--strict", action="store_true", help="refuse broken lines")


def _whole(least: int | None = None) -> Callable[[str], int]:
    def whole_number(text: str) -> int:
        value = int(text)
        if least is not None and value < least:
            raise argparse.ArgumentTypeError(f"{text} is below {least}")
        return value

    return whole_number


def _number(least: float) -> Callable[[str], float]:
    def number(text: str) -> float:
        value = float(text)
        if not least <= value < float("inf"):
            raise argparse.ArgumentTypeError(f"{text} is not a number of at least {least}")
        return value

    return number


def _bus(text: str) -> str:
    if text not in BUSES:
        raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(BUSES)}")
    return text


def _template(text: str) -> str:
    try:
        named = text.format(vehicle="a") != text.format(vehicle="b")
    except (KeyError, IndexError, ValueError, AttributeError):
        named = False
    if not named:
        raise argparse.ArgumentTypeError(f"{text!r} does not hold {{vehicle}}")
    return text
