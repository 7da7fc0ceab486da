"""The command `fes-stock-market`: plan, run, judge; the exit status is the verdict."""

import argparse
import shutil
import sys
from importlib.resources import files
from pathlib import Path

from fes.errors import FesError
from fes.running.folder import point_latest
from scenario_kit.numbers import whole_number
from scenario_kit.playing import play
from scenario_kit.run_folder import FEDERATION, make_folder
from scenario_kit.statuses import BAD_INPUT, FAILED, PASSED
from serving.command import command
from serving.output import print_line
from serving.parser import LineParser

from stock_market import ticks
from stock_market.judge.verdict import judge, table, write
from stock_market.story import RECORDS, VERDICT

TICKS = 60


def main() -> int:
    """Run a command.

    Returns:
        The verdict: 0 passed, 1 failed; 2 for bad input; 130 where it was interrupted.
    """
    return command("fes-stock-market", _main)


def _main() -> int:
    options = _parser().parse_args()
    try:
        if options.command == "judge":
            return _judged(options.run)
        return _demo(options)
    except FesError as error:
        sys.stderr.write(f"fes-stock-market: {error}\n")
        return BAD_INPUT


def _demo(options: argparse.Namespace) -> int:
    wanted = (
        ticks.generated(options.count, options.seed)
        if options.ticks is None
        else ticks.read(options.ticks, options.count)
    )
    folder = make_folder(options.runs)
    ticks.write(folder, wanted)
    shutil.copyfile(str(files("stock_market") / FEDERATION), folder / FEDERATION)
    point_latest(folder)
    print_line(f"planned: {len(wanted)} ticks, in {folder}")
    return play(folder, _judged)


def _judged(folder: Path) -> int:
    if not (folder / RECORDS).exists():
        print_line(f"not judged: {folder / RECORDS} is missing")
        return BAD_INPUT
    verdict = judge(folder)
    write(verdict, folder)
    print_line("\n".join(table(verdict)))
    print_line(f"\nverdict    {folder / VERDICT}\nrecords    {folder / RECORDS}")
    return PASSED if verdict.passed else FAILED


def _parser() -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = LineParser(
        prog="fes-stock-market", description="Two stock markets, structured by scopes."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    demo = commands.add_parser("demo", help="plan, run and judge; the exit status is the verdict")
    demo.add_argument("--runs", type=Path, default=Path("runs"), help="folder of all runs")
    demo.add_argument("--ticks", type=Path, metavar="ZIP", help="of trades; made-up ones without")
    demo.add_argument(
        "--count", type=whole_number, default=TICKS, help=f"most ticks (default: {TICKS})"
    )
    demo.add_argument("--seed", type=whole_number, default=1, help="of made-up ticks (default: 1)")
    judged = commands.add_parser("judge", help="judge a run by the logs of its clients")
    judged.add_argument("run", type=Path, metavar="RUNFOLDER")
    return parser


if __name__ == "__main__":
    sys.exit(main())
