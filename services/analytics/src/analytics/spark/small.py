"""Small DataFrames out of what the driver knows, without Python on the machines that compute."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.types import ArrayType, StructType


def small_frame(
    spark: SparkSession, rows: Iterable[Sequence[Any]], schema: StructType
) -> DataFrame:
    """Return rows as a DataFrame.

    The rows travel inside the plan, as JSON. PySpark's own way has executors start Python to
    unpack them, of the same version as the driver's; so nothing but Java need be there.

    Args:
        spark: The session.
        rows: What JSON can say, in the order of the columns.
        schema: The columns.
    """
    names = schema.names
    text = json.dumps([dict(zip(names, row, strict=True)) for row in rows], allow_nan=False)
    told = fn.from_json(fn.lit(text), ArrayType(schema))
    return spark.range(0, 1, 1, 1).select(fn.inline(told))
