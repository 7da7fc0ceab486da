"""The stream: a streaming query over the segments that the follower cuts."""

import gc
import logging
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, Self

from pyspark.sql import DataFrame, SparkSession

from analytics.inputs.files import Files
from analytics.live.interim_verdict import InterimVerdict
from analytics.live.judge import Bench
from analytics.live.reading.follower import SEGMENTS, Follower

log = logging.getLogger(__name__)

CHECKPOINT: Final = "spark"
POLL: Final = "500 milliseconds"
"""So often the query looks for the next segment."""


class Stream:
    """Accepts a run batch by batch: one segment is one batch, and the next waits for it.

    Args:
        spark: The session.
        work: Where segments and the query's checkpoint are kept.
        follower: Cuts the segments.
        bench: Judges them.
        tell: Receives each interim verdict and how long it took, seconds.
    """

    def __init__(
        self,
        spark: SparkSession,
        work: Files,
        follower: Follower,
        bench: Bench,
        tell: Callable[[InterimVerdict, float], None],
    ) -> None:
        self._spark = spark
        self._work = work
        self._follower = follower
        self._bench = bench
        self._tell = tell
        self._query: Any = None

    def __enter__(self) -> Self:
        """Start the query."""
        self._work.write(f"{SEGMENTS}/.kept", b"")
        source = self._spark.readStream.schema("value string").format("text")
        segments = source.option("maxFilesPerTrigger", 1).option("lineSep", "\n")
        frames = segments.load(self._work.uri(SEGMENTS))
        writer = frames.writeStream.foreachBatch(self._take)
        checkpoint = self._work.uri(CHECKPOINT)
        placed = writer.option("checkpointLocation", checkpoint).trigger(processingTime=POLL)
        self._query = placed.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the query."""
        self._query.stop()

    def step(self, now_us: int) -> bool:
        """Read what the logs grew by, and wait until it has been judged.

        Args:
            now_us: Wall clock.

        Returns:
            Whether there is more to be read at once.

        Raises:
            RunReplacedError: Another run lies in the folder now.
            StreamingQueryException: The batch failed.
        """
        if not self._bench.state.stale and self._follower.rests(now_us):
            return False
        end = self._follower.cut(now_us)
        self._query.processAllAvailable()
        self._follower.forget(end.number)
        return bool(end.behind)

    def _take(self, segment: DataFrame, _: int) -> None:
        began = time.monotonic()
        interim = self._bench.take(segment)
        if interim is None:
            return
        gc.collect()  # what Python holds in cycles, Java holds too
        took_s = time.monotonic() - began
        self._tell(interim, took_s)
        log.info("judged", extra={"batch": interim.progress.batch, "seconds": round(took_s, 2)})
