"""The command line: `fes-analytics verify RUN`, `… scopes RUN` and `… serve RUN`."""

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.errors import PySparkException
from serving import diagnostics
from serving.command import command

from analytics import settings
from analytics.errors import AnalyticsError
from analytics.inputs.federation import load_federation
from analytics.inputs.folder import RunFolder, open_folder
from analytics.inputs.place import fetch_run, give_back, local_path, open_files
from analytics.live.judge import Terms
from analytics.live.watch import Pace
from analytics.report.pages import print_promises, print_verdict, write_report
from analytics.scopes.run import judge_folder, run_of_scopes
from analytics.serve import ServeOptions, serve
from analytics.spark.session import spark_session
from analytics.traffic.job import Outcome, judge
from analytics.verdict import BROKEN

PASS, FAIL, CANNOT_JUDGE = 0, 1, 2
FAILED = 1
"""The service ends with it where Spark or the machine fails; it can be started again."""

LARGE_BYTES = 64 * 1024 * 1024
"""Event logs so long are worth a session that compiles for them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge a run, once or while it goes on.

    Args:
        arguments: The command line; that of the process where None.

    Returns:
        Of `verify` and `scopes`: 0 if the run passes, 1 if it fails, 2 if it cannot be judged. Of
        `serve`: 0 once it was told to stop, 1 where Spark or the machine failed, 2 for bad input.
    """
    return command("fes-analytics", lambda: _main(arguments))


def _main(arguments: Sequence[str] | None) -> int:
    try:
        given = settings.read(sys.argv[1:] if arguments is None else arguments, os.environ)
        return {"serve": _serve, "verify": _verify, "scopes": _scopes}[given.command](given)
    except AnalyticsError as error:
        sys.stderr.write(f"{error}\n")
        return CANNOT_JUDGE


def _verify(given: argparse.Namespace) -> int:
    path = local_path(given.run)
    outcome = _verify_away(given) if path is None else _verify_here(given, path)
    print_verdict(outcome.verdict)
    return PASS if outcome.verdict.passed else FAIL


def _scopes(given: argparse.Namespace) -> int:
    folder = run_of_scopes(Path(given.run))
    with spark_session(settings.spark_options(given)) as spark:
        promises = judge_folder(spark, folder)
    print_promises(promises)
    return FAIL if any(promise.status == BROKEN for promise in promises) else PASS


def _verify_here(given: argparse.Namespace, path: Path) -> Outcome:
    folder = open_folder(path)
    federation = load_federation(folder.federation)
    large = folder.size_bytes() >= LARGE_BYTES
    with spark_session(settings.spark_options(given), large=large) as spark:
        outcome = judge(spark, folder, federation)
    if given.html:
        write_report(outcome)
    return outcome


def _verify_away(given: argparse.Namespace) -> Outcome:
    """Judge a run that is not on this machine, and leave the results where it is."""
    with (
        TemporaryDirectory(prefix="fes-run-") as scratch,
        spark_session(settings.spark_options(given), large=True) as spark,
    ):
        files = open_files(spark, given.run)
        folder: RunFolder = fetch_run(files, Path(scratch))
        outcome = judge(spark, folder, load_federation(folder.federation))
        if given.html:
            write_report(outcome)
        give_back(files, folder)
    return outcome


def _serve(given: argparse.Namespace) -> int:
    diagnostics.set_up()
    options = ServeOptions(
        run=given.run,
        checkpoint=given.checkpoint or "",
        host=given.http_host,
        port=given.http_port,
        pace=Pace(given.trigger_s, given.idle_s),
        terms=Terms(round(given.settle_s * 1e6), given.keep_events),
        spark=settings.spark_options(given),
    )
    try:
        asyncio.run(serve(options))
    except (PySparkException, OSError) as error:
        reason = str(error).strip().splitlines() or [type(error).__name__]
        sys.stderr.write(f"fes-analytics: {reason[0]}\n")
        return FAILED
    return PASS


if __name__ == "__main__":
    sys.exit(main())
