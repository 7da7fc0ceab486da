"""Latency by hop, as one row of percentiles."""

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

_ACCURACY = 10_000


def latencies(judged: DataFrame) -> DataFrame:
    """Return one row of `n0`, `p0` (p50 and p99, µs, wall clock) and so on, a pair for each hop.

    Args:
        judged: As `transforms.deliveries.judged` returns.
    """
    right = judged.filter("copy = 1 and reason is null")
    columns: list[Column] = []
    for number, (begin, end) in enumerate(HOPS.values()):
        took = fn.col(end) - fn.col(begin)
        columns.append(fn.count(took).alias(f"n{number}"))
        columns.append(fn.percentile_approx(took, [0.5, 0.99], _ACCURACY).alias(f"p{number}"))
    return right.agg(*columns)
