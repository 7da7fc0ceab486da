"""The order of deliveries, from batch to batch."""

from collections.abc import Collection
from typing import Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from analytics.inputs import schemas
from analytics.live.kept.rows import offset
from analytics.live.kept.state import Delivery, State
from analytics.promises.deliveries import out_of_order
from analytics.promises.findings import found, ranked
from analytics.spark.small import small_frame
from analytics.traffic.found import parts, together
from analytics.transforms.order import in_order
from analytics.verdict import EXAMPLES

WAYS: Final = 20_000
"""Most ways of which the newest delivery is known; the one that is silent longest is forgotten."""


def check_order(
    spark: SparkSession, deliveries: DataFrame, again: Collection[str], state: State
) -> None:
    """Keep the deliveries of a batch against each other and against those before them.

    Args:
        spark: The session.
        deliveries: Good lines of `DELIVERIES`.
        again: Ids that were delivered before.
        state: Is told what was found, and what those to come must be held against.
    """
    before = [(one.wall_us, one.id, one.monitor, one.path, one.offset) for one in state.newest]
    old = small_frame(spark, before, schemas.NEWEST).withColumns(
        {"place": offset(), "old": fn.lit(True), "again": fn.lit(False)}
    )
    new = deliveries.select("wall_us", "id", "monitor", "path", "place").withColumns(
        {"old": fn.lit(False), "again": fn.col("id").isin(list(again))}
    )
    held = in_order(old.drop("offset").unionByName(new)).localCheckpoint()
    breaches = found(held, *out_of_order()).withColumn("part", fn.lit(0))
    wrong = parts(ranked(breaches, EXAMPLES).collect())
    state.ordered = together([state.ordered, *wrong.values()])
    kept = held.filter("newest").select("place.offset", "wall_us", "id", "monitor", "path")
    newest = [Delivery(**row.asDict()) for row in kept.orderBy("offset").collect()]
    state.newest = newest[-WAYS:]
