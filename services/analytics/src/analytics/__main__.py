"""The command line: `fes-analytics verify RUNFOLDER`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from analytics.errors import CannotJudgeError
from analytics.federation import load_federation
from analytics.folder import open_folder
from analytics.job import judge
from analytics.report import print_verdict, write_report
from analytics.session import spark_session

PASS, FAIL, CANNOT_JUDGE = 0, 1, 2

LARGE_BYTES = 64 * 1024 * 1024
"""Event logs so long are worth a session that compiles for them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge a run.

    Args:
        arguments: The command line; that of the process where None.

    Returns:
        0 if the run passes, 1 if it fails, 2 if it cannot be judged.
    """
    given = _parser().parse_args(arguments)
    try:
        folder = open_folder(given.run)
        federation = load_federation(folder.federation)
        with spark_session(given.master, large=folder.size_bytes() >= LARGE_BYTES) as spark:
            outcome = judge(spark, folder, federation)
    except CannotJudgeError as error:
        sys.stderr.write(f"{error}\n")
        return CANNOT_JUDGE
    print_verdict(outcome.verdict)
    if given.html:
        write_report(outcome)
    return PASS if outcome.verdict.passed else FAIL


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fes-analytics", description="Judge a run of a federation."
    )
    commands = parser.add_subparsers(required=True)
    verify = commands.add_parser("verify", help="prove or disprove each promise for one run")
    verify.add_argument("run", type=Path, metavar="RUNFOLDER", help="where the run left its files")
    verify.add_argument("--no-html", dest="html", action="store_false", help="write no report.html")
    verify.add_argument("--master", default="local[2]", help="Spark's master (default: local[2])")
    return parser


if __name__ == "__main__":
    sys.exit(main())
