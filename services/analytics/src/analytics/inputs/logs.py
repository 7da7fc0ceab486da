"""Logs as DataFrames: every line is kept, the broken ones beside the good ones."""

from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import StringType, StructType

from analytics.inputs.schemas import BROKEN, REQUIRED, VERSION

_GLOB = str.maketrans({letter: f"\\{letter}" for letter in "\\*?[]{}"})


def read_log(
    spark: SparkSession, places: tuple[str, ...], schema: StructType, kind: str
) -> DataFrame:
    """Read files of JSON lines.

    Args:
        spark: The session.
        places: The files, as Spark names them.
        schema: What a line holds.
        kind: Which members a line must have: a key of `REQUIRED`.

    Returns:
        As `parsed` returns; `place` is the block of the file and the row in it.
    """
    lines = spark.read.text([place.translate(_GLOB) for place in places], lineSep="\n")
    placed = lines.select(
        "value",
        fn.col("_metadata.file_name").alias("file"),
        fn.struct(
            fn.col("_metadata.file_block_start").alias("block"),
            fn.monotonically_increasing_id().alias("row"),
        ).alias("place"),
    )
    return parsed(placed, schema, kind)


def parsed(lines: DataFrame, schema: StructType, kind: str, *kept: str) -> DataFrame:
    """Read lines of JSON.

    Args:
        lines: `value`, the text; `file`, its name; `place`, which orders the lines of one file.
        schema: What a line holds.
        kind: Which members a line must have: a key of `REQUIRED`.
        kept: Further columns of `lines` that are passed on.

    Returns:
        The schema's columns, `file`, `place`, and `BROKEN`, the text of a line that is not of the
        schema. Empty lines are left out.
    """
    full = StructType(list(schema.fields)).add(BROKEN, StringType())
    options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": BROKEN}
    written = lines.filter(fn.trim("value") != "")
    read = written.withColumn("line", fn.from_json("value", full, options))
    columns = [fn.col(f"line.{field.name}") for field in schema.fields]
    return read.select(*columns, "file", "place", *kept, _broken(kind).alias(BROKEN))


def good(log: DataFrame) -> DataFrame:
    """Return the lines that are of their schema."""
    return log.filter(fn.col(BROKEN).isNull()).drop(BROKEN)


def _broken(kind: str) -> Column:
    absent = reduce(Column.__or__, [fn.col(f"line.{name}").isNull() for name in REQUIRED[kind]])
    wrong = (
        fn.col("line").isNull()
        | fn.col(f"line.{BROKEN}").isNotNull()
        | fn.coalesce(fn.col("line.v") != VERSION, fn.lit(True))
        | absent
        | fn.contains(fn.col("value"), fn.lit('}{"'))
    )
    return fn.when(wrong, fn.col("value"))
