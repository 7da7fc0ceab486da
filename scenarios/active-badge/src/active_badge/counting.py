"""Count the sinks' logs with Spark, apart from everything that wrote them.

`python -m active_badge.counting FOLDER` prints, as JSON, the sightings of each log, and how many
of them were there twice.
"""

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as f
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

SCHEMA = StructType(
    [
        StructField("bus", StringType()),
        StructField("number", IntegerType()),
        StructField("station", StringType()),
        StructField("badge", StringType()),
    ]
)


def main() -> None:
    """Count."""
    folder = Path(sys.argv[1])
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.driver.memory", "1g")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    lines = spark.read.schema(SCHEMA).csv(str(folder)).withColumn("file", f.input_file_name())
    found = lines.groupBy("file").agg(
        f.count("*").alias("count"),
        f.countDistinct("bus", "number").alias("different"),
        f.sum(f.col("badge").isNull().cast("int")).alias("unreadable"),
    )
    rows = [row.asDict() for row in found.collect()]
    spark.stop()
    sys.stdout.write(json.dumps(rows) + "\n")


if __name__ == "__main__":
    main()
