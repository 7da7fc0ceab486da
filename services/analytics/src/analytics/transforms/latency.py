"""Latency by hop, counted in bins that can be added up."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

HOPS = {
    "bus: frame to vehicle's adapter": ("wall_us", "v_heard_us"),
    "vehicle's gateway: bus to air": ("v_heard_us", "v_told_us"),
    "air: vehicle to monitor": ("v_told_us", "j_heard_us"),
    "monitor's gateway: air to city": ("j_heard_us", "j_told_us"),
    "city: published to delivered": ("j_told_us", "d_wall_us"),
    "end to end": ("wall_us", "d_wall_us"),
}
"""Each hop's name, and the columns of its beginning and end."""

DIGITS = 4
"""A bin has the times that agree in so many leading digits: at most 9,000 bins a decade."""


def latencies(judged: DataFrame) -> DataFrame:
    """Return how long each right delivery took on each hop that it is known to have passed.

    Args:
        judged: As `transforms.deliveries.judged` returns.

    Returns:
        `id`; `hop`, its number in `HOPS`; `bin`, µs by the wall clock, cut after `DIGITS` digits.
    """
    right = judged.filter("copy = 1 and reason is null")
    spans = [
        fn.struct(fn.lit(number).alias("hop"), _bin(fn.col(end) - fn.col(begin)).alias("bin"))
        for number, (begin, end) in enumerate(HOPS.values())
    ]
    each = right.select("id", fn.explode(fn.array(*spans)).alias("span")).select("id", "span.*")
    return each.filter(fn.col("bin").isNotNull())


def _bin(took: Column) -> Column:
    digits = fn.length(fn.abs(took).cast("string"))
    step = fn.pow(fn.lit(10), fn.greatest(digits - DIGITS, fn.lit(0))).cast("bigint")
    return took - took % step
