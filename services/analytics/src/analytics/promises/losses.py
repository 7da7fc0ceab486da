"""Nothing requested is lost while the links are up.

Each breach is over the rows of `transforms.events.events`.
"""

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from analytics.promises.findings import LOST, Breach
from analytics.transforms.cuts import out
from analytics.transforms.limits import SLACK_US


def undelivered() -> Breach:
    """Charge events that were owed to the city and never came."""
    return Breach(LOST, fn.col("missing"), fn.array_join("admissible", ", "), fn.col("progress"))


def unheard() -> Breach:
    """Charge monitors that, by the event log, took no part in an event that others delivered."""
    silent = fn.col("delivered") & fn.col("gap").isNotNull()
    return Breach(LOST, silent, fn.col("gap.monitor"), fn.col("gap.lack"))


def lost_on_board() -> Breach:
    """Charge frames that a static subscription requested and that never went on the air.

    Needs the column `applied_us` beside those of the events.
    """
    since = fn.coalesce(fn.col("applied_us") + SLACK_US, fn.lit(0))
    owed = fn.col("asked") & (fn.col("wall_us") >= since) & ~out("v_cuts", fn.col("wall_us"))
    unheard, untold = fn.col("v_heard_us").isNull(), fn.col("v_told_us").isNull()
    lack = fn.when(unheard, fn.concat(fn.lit("never received at "), fn.col("bus"))).otherwise(
        fn.concat(fn.lit("never published at "), fn.col("air"))
    )
    lost = owed & (unheard | untold) & ~fn.col("missing")
    return Breach(LOST, lost, fn.col("v_gateway"), lack)


def first_subscribed(log: DataFrame, adapters: DataFrame) -> DataFrame:
    """Return when each bus's adapter subscribed first: `bus`, `applied_us`."""
    lines = log.filter(fn.col("decision") == "subscribed").join(fn.broadcast(adapters), "name")
    on_board = lines.filter(fn.col("role") == "bus")
    first = fn.min("wall_us").alias("applied_us")
    return on_board.groupBy(fn.col("service").alias("bus")).agg(first)
