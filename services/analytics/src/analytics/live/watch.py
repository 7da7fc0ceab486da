"""The watch: judges whatever run lies in a folder, for as long as it is requested."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Final
from zlib import crc32

import msgspec
from pyspark.sql import SparkSession
from serving.clocks import wall_us

from analytics.errors import RunReplacedError
from analytics.inputs.federation import load_federation
from analytics.inputs.files import Files, LocalFiles
from analytics.inputs.folder import FEDERATION, TRACE, RunFolder, licences
from analytics.inputs.place import fetch_static
from analytics.live.board import Board
from analytics.live.interim_verdict import InterimVerdict
from analytics.live.judge import Bench, Run, Terms
from analytics.live.reading.follower import Follower
from analytics.live.reading.stream import Stream
from analytics.report.pages import Pages

log = logging.getLogger(__name__)

ABOUT: Final = "about.json"
VERSION: Final = 1
OWN: Final = (ABOUT, "segments", "spark", "rows", "ids", "results", "state")
"""What is kept in the working folder."""
ABSENCE_S: Final = 1.0
"""So often it is looked whether a run that is not there yet has come."""


class About(msgspec.Struct, frozen=True):
    """What the things in a working folder are about."""

    run: str
    federation: int
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class Pace:
    """When something is read.

    Attributes:
        trigger_s: Time from the beginning of one batch to that of the next.
        idle_s: What has not grown for so long has ended.
    """

    trigger_s: float
    idle_s: float


@dataclass(frozen=True, slots=True)
class Places:
    """Where things are.

    Attributes:
        run: The run folder.
        work: What is remembered from one start to the next; nobody else may write there.
        scratch: A folder of this machine, for copies of small files.
    """

    run: Files
    work: Files
    scratch: Path


class Watch:
    """Judges a run that goes on.

    Args:
        spark: The session.
        places: Where things are.
        pace: When something is read.
        terms: How it is judged.
        board: Is told what is to be said.
        now_us: Wall clock.
    """

    def __init__(
        self,
        spark: SparkSession,
        places: Places,
        pace: Pace,
        terms: Terms,
        board: Board,
        now_us: Callable[[], int] = wall_us,
    ) -> None:
        self._spark = spark
        self._places = places
        self._pace = pace
        self._terms = terms
        self._board = board
        self._now_us = now_us

    def run(self, stop: Event) -> None:
        """Judge until `stop` is set; restart where another run takes the folder.

        Raises:
            CannotJudgeError: What states how the run was set up cannot be understood.
            StreamingQueryException: A batch failed.
        """
        while not stop.is_set():
            run = self._find()
            if run is None:
                stop.wait(ABSENCE_S)
                continue
            self._claim()
            try:
                with self.open(run) as stream:
                    self._follow(stream, stop)
            except RunReplacedError as error:
                log.warning("began anew", extra={"reason": str(error)})
                self._board.begin_anew()
                self._clear()

    def open(self, run: Run) -> Stream:
        """Return a stream over the run, which goes on where the last one ended."""
        places, pages = self._places, Pages(run.folder, run.federation)
        follower = Follower(places.run, places.work, self._pace.idle_s)
        bench = Bench(self._spark, places.work, run, self._terms)

        def tell(interim: InterimVerdict, took_s: float) -> None:
            self._board.tell(interim, pages.live(interim), took_s)

        return Stream(self._spark, places.work, follower, bench, tell)

    def _follow(self, stream: Stream, stop: Event) -> None:
        while not stop.is_set():
            began = time.monotonic()
            more = stream.step(self._now_us())
            self._board.beat()
            if not more:
                stop.wait(max(0.0, began + self._pace.trigger_s - time.monotonic()))

    def _find(self) -> Run | None:
        """Return the run, once what states how it was set up is there."""
        folder = self._places.run
        absent = [name for name in (FEDERATION, TRACE) if name not in folder.sizes()]
        if absent:
            self._board.wait_for(f"{folder.uri(absent[0])} is missing")
            return None
        if isinstance(folder, LocalFiles):
            found = RunFolder(folder.root)
        else:
            found = fetch_static(folder, self._places.scratch)
        return Run(found, load_federation(found.federation), licences(found.trace))

    def _claim(self) -> None:
        """Forget what the working folder remembers of another run."""
        run, work = self._places.run, self._places.work
        about = About(run.uri(), crc32(run.read(FEDERATION)))
        if ABOUT in work.sizes() and _read(work) == about:
            return
        self._clear()
        work.write(ABOUT, msgspec.json.encode(about))

    def _clear(self) -> None:
        for name in OWN:
            self._places.work.remove(name)


def _read(work: Files) -> About | None:
    try:
        return msgspec.json.decode(work.read(ABOUT), type=About)
    except msgspec.DecodeError:
        return None
