"""The intake: a segment's lines, read and sorted into what is counted and what is kept."""

from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from analytics.inputs.log_files import LogSummary, summarise
from analytics.inputs.logs import good, parsed
from analytics.inputs.remains import SHOWN
from analytics.inputs.schemas import BROKEN
from analytics.live.kept.control import Kept, matters, of_commands, of_log
from analytics.live.kept.rows import SCHEMAS, offset
from analytics.live.reading.segment import END, EVENT_LOG, SCHEMA, End, read_end

_TOLD = ("received", "published")


@dataclass(frozen=True, slots=True)
class Seen:
    """What a batch tells of one event: when, by the wall clock, and whether it was delivered."""

    first_us: int
    last_us: int
    delivered: bool


class Intake:
    """The lines of a segment.

    Args:
        segment: A text a row, `value`.
    """

    def __init__(self, segment: DataFrame) -> None:
        line = fn.from_json("value", SCHEMA).alias("line")
        self._lines = segment.select(line).select("line.*").localCheckpoint()
        last = self._lines.filter(fn.col("k") == END).select("v").collect()
        self.end: End = read_end(last[0]["v"])
        self._logs = {kind: self._read(kind) for kind in SCHEMAS}

    def _read(self, kind: str) -> DataFrame:
        placed = self._lines.filter(fn.col("k") == kind).select(
            fn.col("v").alias("value"),
            fn.col("f").alias("file"),
            offset("o"),
            fn.col("n").alias("number"),
        )
        return parsed(placed, SCHEMAS[kind], kind, "value", "number")

    @property
    def deliveries(self) -> DataFrame:
        """Good lines of `DELIVERIES`."""
        return good(self._logs["deliveries"])

    def summary(self) -> LogSummary:
        """Count components and files."""
        commands = self._logs["commands"].withColumnRenamed("sent_us", "wall_us")
        others = [self._logs["truth"], self._logs["deliveries"], commands]
        return summarise(self._logs[EVENT_LOG], others)

    def broken(self) -> tuple[int, dict[str, list[tuple[str, int]]]]:
        """Return how many lines are broken; and of each kind, file and number of the first."""
        total, first = 0, {}
        for kind, log in self._logs.items():
            wrong = log.filter(fn.col(BROKEN).isNotNull()).select("file", "number")
            total += wrong.count()
            rows = wrong.orderBy("file", "number").limit(SHOWN).collect()
            first[kind] = [(row["file"], row["number"]) for row in rows]
        return total, first

    def about_events(self) -> DataFrame:
        """Return the lines by which events are judged.

        Returns:
            `kind`, `file`, `place`, `id`, `value`, `wall_us`.
        """
        told = fn.col("decision").isin(*_TOLD) & (fn.coalesce("id", fn.lit("")) != "")
        kept: dict[str, Column] = {
            "truth": fn.coalesce("sent", fn.lit(True)),
            "deliveries": fn.lit(True),
            EVENT_LOG: told,
        }
        frames = [
            good(self._logs[kind])
            .filter(wanted)
            .select(fn.lit(kind).alias("kind"), "file", "place", "id", "value", "wall_us")
            for kind, wanted in kept.items()
        ]
        every: DataFrame = reduce(DataFrame.unionByName, frames)
        return every

    def commands(self) -> list[Kept]:
        """Return the commands."""
        return of_commands(good(self._logs["commands"]))

    def log(self, frame_us: int) -> list[Kept]:
        """Return the control lines of the event log; `frame_us` is when the last frame was sent."""
        return of_log(good(self._logs[EVENT_LOG]).filter(matters(frame_us)))

    def outages(self) -> list[tuple[int, str]]:
        """Return the lines of `outages.jsonl`: number and text."""
        told = self._lines.filter((fn.col("k") == "outages") & (fn.trim("v") != ""))
        return [(row["n"], row["v"]) for row in told.orderBy("n").collect()]


def seen(lines: DataFrame) -> dict[str, Seen]:
    """Return what lines about events tell of each."""
    delivered = fn.max(fn.col("kind") == "deliveries").alias("delivered")
    rows = lines.groupBy("id").agg(
        fn.min("wall_us").alias("first_us"), fn.max("wall_us").alias("last_us"), delivered
    )
    return {
        row["id"]: Seen(row["first_us"], row["last_us"], row["delivered"]) for row in rows.collect()
    }
