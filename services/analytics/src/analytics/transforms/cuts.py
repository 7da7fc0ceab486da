"""When gateways were cut off, as columns."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

MARGIN_US = 1_000_000
"""An outage excuses from so long before it began until so long after it ended."""


def with_cuts(frame: DataFrame, outages: DataFrame, gateway: str, cuts: str) -> DataFrame:
    """Add an array of the times for which a row's gateway was cut off.

    Args:
        frame: Rows with the column `gateway`.
        outages: `OUTAGES`.
        gateway: Name of the column that names a gateway.
        cuts: Name of the new column; null where there was no outage.
    """
    gathered = outages.groupBy("out_gateway").agg(
        fn.collect_list(fn.struct("from_us", "to_us")).alias(cuts)
    )
    joined = frame.join(fn.broadcast(gathered), fn.col(gateway) == fn.col("out_gateway"), "left")
    return joined.drop("out_gateway")


def out(cuts: str, first_us: Column, last_us: Column | None = None) -> Column:
    """Return whether a gateway was cut off at, or between, wall-clock times."""
    last = first_us if last_us is None else last_us

    def covers(cut: Column) -> Column:
        return (last >= cut["from_us"] - MARGIN_US) & (first_us <= cut["to_us"] + MARGIN_US)

    return fn.coalesce(fn.exists(cuts, covers), fn.lit(False))
