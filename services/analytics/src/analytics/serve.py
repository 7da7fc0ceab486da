"""`fes-analytics serve`: the judge at work beside a run, until it is requested to stop."""

import asyncio
import logging
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Final

from serving.ending import ending_event
from serving.guard import BodyGuard
from serving.server import HttpServer

from analytics.http.app import make_app
from analytics.inputs.place import open_files
from analytics.live.board import Board
from analytics.live.judge import Terms
from analytics.live.watch import Pace, Places, Watch
from analytics.spark.session import SparkOptions, spark_session

log = logging.getLogger(__name__)

BODY_BYTES: Final = 64 * 1024
PATIENCE_S: Final = 300.0
"""A judge that gave no sign of life for so long, and for ten triggers, counts as stuck."""
WORK: Final = "analytics"
"""Folder in the run for what the judge remembers, where no other is named."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """How a run is judged and the verdict shown.

    Attributes:
        run: Where the run leaves its files: a folder or a URI.
        checkpoint: Where the judge keeps what it remembers; beside the logs where empty.
        host: Address to listen on.
        port: Port; with 0 the system chooses one.
        pace: When something is read.
        terms: How it is judged.
        spark: How Spark is run.
    """

    run: str
    checkpoint: str
    host: str
    port: int
    pace: Pace
    terms: Terms
    spark: SparkOptions


async def serve(options: ServeOptions) -> None:
    """Run until it is requested to end; a batch that is in progress is finished.

    Raises:
        CannotJudgeError: What states how the run was set up cannot be understood.
        OSError: The address is in use.
    """
    board, stop, told = Board(), Event(), ending_event()
    patience_s = max(PATIENCE_S, 10 * options.pace.trigger_s)
    app = BodyGuard(make_app(board, patience_s), BODY_BYTES)
    server = HttpServer(app, options.host, options.port)
    await server.start()
    log.info("started", extra={"url": server.url, "run": options.run})
    judging = asyncio.create_task(asyncio.to_thread(_judge, options, board, stop))
    stopping = asyncio.create_task(told.wait())
    try:
        await asyncio.wait((judging, stopping), return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
        stop.set()
        await server.stop()
        await judging
    log.info("stopped", extra={"batches": board.shown.batches})


def _judge(options: ServeOptions, board: Board, stop: Event) -> None:
    checkpoint = options.checkpoint or f"{options.run.rstrip('/')}/{WORK}"
    with (
        TemporaryDirectory(prefix="fes-run-") as scratch,
        spark_session(options.spark, lasting=True) as spark,
    ):
        run, work = open_files(spark, options.run), open_files(spark, checkpoint)
        places = Places(run, work, Path(scratch))
        Watch(spark, places, options.pace, options.terms, board).run(stop)
