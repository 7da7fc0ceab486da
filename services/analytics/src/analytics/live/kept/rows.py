"""Rows: the lines about events, kept by the window of their event and the batch they came in."""

from typing import Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import StructType

from analytics.inputs import schemas
from analytics.inputs.files import Files
from analytics.inputs.logs import parsed
from analytics.live.kept.control import Control, Kept
from analytics.live.reading.segment import EVENT_LOG
from analytics.spark.small import small_frame
from analytics.traffic.run import Logs

ROWS: Final = "rows"
SCHEMAS: Final[dict[str, StructType]] = {
    "truth": schemas.TRUTH,
    "commands": schemas.COMMANDS,
    "deliveries": schemas.DELIVERIES,
    EVENT_LOG: schemas.EVENT_LOG,
}
"""Schema of each kind of line that is judged."""


class Rows:
    """Keeps lines.

    Args:
        spark: The session.
        files: Where they are kept.
    """

    def __init__(self, spark: SparkSession, files: Files) -> None:
        self._spark = spark
        self._files = files

    def keep(self, batch: int, lines: DataFrame, windows: dict[str, int]) -> None:
        """Keep the lines of a batch, whether or not that was done before.

        Args:
            batch: Its number.
            lines: `kind`, `file`, `place`, `id`, `value`.
            windows: Of the ids; lines about others are left out.
        """
        placed = small_frame(self._spark, windows.items(), schemas.PLACED)
        columns = ("kind", "file", fn.col("place.offset"), "id", "value", "window")
        kept = lines.join(fn.broadcast(placed), "id").select(*columns)
        target = self._files.uri(f"{ROWS}/batch={batch}")
        kept.coalesce(1).write.partitionBy("window").mode("overwrite").parquet(target)

    def load(self, windows: dict[int, list[int]]) -> DataFrame:
        """Return the lines of windows: `kind`, `file`, `place`, `id`, `value`, `part` (the window).

        Args:
            windows: For each, in which batches lines came.
        """
        places = [
            self._files.uri(f"{ROWS}/batch={batch}/window={window}")
            for window, batches in windows.items()
            for batch in batches
        ]
        if places:
            reader = self._spark.read.schema(schemas.ROWS)
            found = reader.option("basePath", self._files.uri(ROWS)).parquet(*places)
        else:
            found = small_frame(self._spark, (), schemas.ROWS)
        columns = ("kind", "file", offset(), "id", "value", fn.col("window").alias("part"))
        return found.select(*columns).localCheckpoint()

    def forget(self, first: int) -> None:
        """Remove the lines of batches before a number."""
        for name in self._files.folders(ROWS):
            batch = name.partition("=")[2]
            if batch.isdigit() and int(batch) < first:
                self._files.remove(f"{ROWS}/{name}")

    def logs(self, rows: DataFrame, control: Control) -> Logs:
        """Return lines about events, and the control lines, as the judge reads them."""
        commands = self._control("commands", control.commands)
        log = _parsed(rows, EVENT_LOG).unionByName(self._control(EVENT_LOG, control.log))
        return Logs(
            truth=_parsed(rows, "truth"),
            commands=commands,
            deliveries=_parsed(rows, "deliveries"),
            event_log=log,
        )

    def _control(self, kind: str, lines: list[Kept]) -> DataFrame:
        told = [(one.file, one.offset, one.text) for one in lines]
        given = small_frame(self._spark, told, schemas.TEXTS)
        return parsed(given.select("file", offset(), "value"), SCHEMAS[kind], kind)


def _parsed(rows: DataFrame, kind: str) -> DataFrame:
    return parsed(rows.filter(fn.col("kind") == kind), SCHEMAS[kind], kind)


def offset(column: str = "offset") -> Column:
    """Return what orders the lines of one file, from where they begin."""
    return fn.struct(fn.col(column).alias("offset")).alias("place")
