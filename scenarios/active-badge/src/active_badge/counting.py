"""Count the sinks' logs with Spark, apart from everything that wrote them.

`python -m active_badge.counting FOLDER` prints, as JSON, the sightings of each log, and how many
of them were there twice.
"""

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import IntegerType, StringType, StructField, StructType
from serving.command import command
from serving.lifeline import LIFELINE

SCHEMA = StructType(
    [
        StructField("bus", StringType()),
        StructField("number", IntegerType()),
        StructField("station", StringType()),
        StructField("badge", StringType()),
    ]
)


def main() -> int:
    """Count; return the exit status."""
    return command("active_badge.counting", _main)


def _main() -> int:
    with TemporaryDirectory(prefix="fes-active-badge-") as scratch:
        rows = _count(Path(sys.argv[1]), scratch)
    sys.stdout.write(json.dumps(rows) + "\n")
    return 0


def _count(folder: Path, scratch: str) -> list[dict[str, Any]]:
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.memory", "1g")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.local.dir", scratch)
        .config("spark.sql.warehouse.dir", f"{scratch}/warehouse")
        .config("spark.driver.extraJavaOptions", f"-Djava.io.tmpdir={scratch}")
    )
    with LIFELINE.of_library():
        spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    lines = spark.read.schema(SCHEMA).csv(str(folder)).withColumn("file", f.input_file_name())
    found = lines.groupBy("file").agg(
        f.count("*").alias("count"),
        f.countDistinct("bus", "number").alias("different"),
        f.sum(f.col("badge").isNull().cast("int")).alias("unreadable"),
    )
    rows = [row.asDict() for row in found.collect()]
    spark.stop()
    return rows


if __name__ == "__main__":
    sys.exit(main())
