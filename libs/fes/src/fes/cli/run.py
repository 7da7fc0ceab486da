"""`fes run FILE`: runs a federation on this machine."""

import asyncio
from argparse import ArgumentParser, ArgumentTypeError, Namespace, _SubParsersAction
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

from fes.federation.load import load
from fes.federation.model import Federation
from fes.running.folder import make_run_folder
from fes.running.supervision.options import QUIET_S, READY_S, RunOptions
from fes.running.supervisor import Supervisor

MOST_REPLICAS = 16
"""Most replicas of a gateway that an adapter is linked to."""

MOST_QUIET_S = 3600.0


def add_parser(subparsers: "_SubParsersAction[ArgumentParser]") -> None:
    """Add the command to the command line of `fes`."""
    parser = subparsers.add_parser("run", help="run a federation on this machine")
    parser.add_argument("file", type=Path, metavar="FILE", help="a federation file")
    parser.add_argument(
        "--own-process",
        action="append",
        default=[],
        metavar="NAME",
        help="a gateway or adapter that runs in a process of its own; may be repeated",
    )
    parser.add_argument(
        "--replicas",
        action="append",
        default=[],
        type=_replicas,
        metavar="GATEWAY=N",
        help=f"a gateway that runs with N replicas, 2 to {MOST_REPLICAS}; may be repeated",
    )
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder of all runs")
    parser.add_argument("--run", type=Path, help="folder of this run; created if absent")
    parser.add_argument(
        "--quiet",
        type=_seconds,
        default=QUIET_S,
        metavar="SECONDS",
        help="how long events may be in transit after the application that ends the run",
    )
    parser.add_argument(
        "--patience",
        type=_seconds,
        default=READY_S,
        metavar="SECONDS",
        help="how long parts may need to get ready before the run continues with those that are",
    )
    parser.add_argument(
        "--require-all",
        action="store_true",
        help="fail where not every part gets ready in time, rather than continue without it",
    )


def run(options: Namespace, environment: Mapping[str, str], out: TextIO) -> int:
    """Run a federation until it ends.

    Args:
        options: The arguments of `add_parser`.
        environment: Values of `${NAME}` and of `FES__SECTION__KEY` overrides.
        out: Receives the output.

    Returns:
        Exit status, as of `Supervisor.run`.

    Raises:
        FederationError: The file is not valid.
    """
    federation = load(options.file, environment)
    folder = options.run or make_run_folder(options.runs)
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    out.write(f"fes run: folder {folder}\n")
    out.flush()
    supervisor_options = RunOptions(
        options.file.parent,
        folder,
        tuple(options.own_process),
        dict(options.replicas),
        options.quiet,
        options.require_all,
        options.patience,
    )
    return asyncio.run(_run(federation, supervisor_options, out))


def _replicas(text: str) -> tuple[str, int]:
    """Return gateway and number of an argument such as `g1=3`."""
    name, _, number = text.partition("=")
    if not (name and number.isascii() and number.isdigit() and 2 <= int(number) <= MOST_REPLICAS):
        raise ArgumentTypeError(f"{text!r} is not GATEWAY=N with N from 2 to {MOST_REPLICAS}")
    return name, int(number)


def _seconds(text: str) -> float:
    """Return a time in seconds, 0 to an hour."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= MOST_QUIET_S:
        raise ArgumentTypeError(f"{text!r} is not from 0 to {MOST_QUIET_S:g} seconds")
    return value


async def _run(federation: Federation, options: RunOptions, out: TextIO) -> int:
    return await Supervisor(federation, options, out).run()
