"""The command line."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from scenario_kit.numbers import port, positive_number, whole_number
from serving.parser import LineParser

from traffic_scenario.onboard import CNS, COSMIC

DEMO_DURATION_S = 90.0
DEMO_SPEEDUP = 3.0
UP_DURATION_S = 1800.0
VEHICLES = 24
STAGE_DURATION_S = 21_600.0
STAGE_SEED = 2
RUNS_KEPT = 5
ALLOWANCE_S = 20.0
"""How long a staged run waits for its parts before the trace begins."""


def read(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the settings of a command; a bad one ends the process with status 2.

    Args:
        arguments: Of the command line; the process's own where None.
    """
    parser = LineParser(prog="fes-traffic", description="The traffic scenario.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    plan = commands.add_parser("plan", help="write a run's trace, monitors and federation file")
    plan.add_argument("--out", type=Path, required=True, metavar="RUNFOLDER")
    _add_inputs(plan, DEMO_DURATION_S, DEMO_SPEEDUP)
    demo = commands.add_parser("demo", help="plan, run and judge; the exit status is the verdict")
    _add_inputs(demo, DEMO_DURATION_S, DEMO_SPEEDUP)
    _add_running(demo)
    up = commands.add_parser("up", help="plan, and run in the background")
    _add_inputs(up, UP_DURATION_S, 1.0)
    _add_running(up)
    down = commands.add_parser("down", help="stop what `up` started")
    _add_runs(down)
    _add_stage(commands.add_parser("stage", help="make a run for parts that are started elsewhere"))
    return parser.parse_args(arguments)


def planning(options: argparse.Namespace) -> tuple[str, ...]:
    """Return the arguments of `can-sim plan` that the options represent, without `--out`."""
    made_up = options.trace is None
    given = {
        "--trace": options.trace,
        "--monitors": options.monitors,
        "--dbc": options.dbc,
        "--positions": options.positions,
        "--signal": options.signal,
        "--vehicles": options.vehicles or (VEHICLES if made_up else None),
        "--duration": options.duration or (options.made_up_duration if made_up else None),
        "--seed": options.seed,
    }
    words = [word for name, value in given.items() if value for word in (name, str(value))]
    flags = [f"--{name}" for name in ("align", "strict") if getattr(options, name)]
    return (*words, *flags)


def staging(options: argparse.Namespace) -> tuple[str, ...]:
    """Return the arguments of `can-sim plan` that the options of `stage` represent."""
    given = {
        "--vehicles": options.vehicles,
        "--duration": options.duration,
        "--seed": options.seed,
        "--monitors": options.monitors,
    }
    return tuple(word for name, value in given.items() for word in (name, str(value)))


def _add_stage(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--federation", type=Path, required=True, help="the federation file")
    add("--monitors", type=Path, required=True, help="CSV of the monitors, with their limits")
    add("--vehicles", type=whole_number, default=1, help="vehicles in the made-up town")
    add("--duration", type=positive_number, default=STAGE_DURATION_S, help="seconds of the trace")
    add("--seed", type=whole_number, default=STAGE_SEED, help="of the made-up town")
    add("--allowance", type=positive_number, default=ALLOWANCE_S, metavar="SECONDS")
    add("--keep", type=whole_number, default=RUNS_KEPT, help="runs that are kept, with this one")
    add("--endpoint", default="http://{gateway}:8080", help="address of a gateway's REST interface")
    _add_runs(parser)


def _add_inputs(parser: argparse.ArgumentParser, duration_s: float, speedup: float) -> None:
    add = parser.add_argument
    add("--trace", type=Path, help="CSV, GPX or CAN log; a made-up town without")
    add("--monitors", type=Path, help="CSV; placed along the trace without")
    add("--dbc", type=Path, help="definitions of a CAN log's frames")
    add("--positions", type=Path, help="CSV or GPX: where a CAN log was made")
    add("--signal", default="", help="SIGNAL or MESSAGE.SIGNAL that contains the speed")
    add("--align", action="store_true", help="the positions begin when the CAN log does")
    add("--strict", action="store_true", help="refuse bad rows instead of counting them")
    add("--vehicles", type=whole_number, help=f"the first N of a trace; {VEHICLES} in the town")
    add(
        "--duration", type=positive_number, help=f"seconds of the trace; {duration_s:g} in the town"
    )
    add("--seed", type=whole_number, default=1, help="of the made-up town (default: 1)")
    help_speedup = f"seconds of the trace in a second (default: {speedup:g})"
    add("--speedup", type=positive_number, default=speedup, help=help_speedup)
    add("--port", type=port, help="where traffic-control listens; a free port without")
    add("--bus", choices=(CNS, COSMIC), default=CNS, help="what vehicles have on board")
    parser.set_defaults(made_up_duration=duration_s)


def _add_running(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--own-process",
        action="append",
        default=[],
        metavar="NAME",
        help="a gateway (g-m-M01) or adapter (g-m-M01.siena-m) that gets a process of its own",
    )
    _add_runs(parser)


def _add_runs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder of all runs")
