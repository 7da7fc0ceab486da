"""Legs: each frame at each monitor that was to receive it, or might."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from analytics.transforms.air import EDGE_M, excess_m
from analytics.transforms.cuts import out, with_cuts
from analytics.transforms.journeys import of_lane
from analytics.transforms.limits import exceeded


def posts(monitors: DataFrame, limits: DataFrame, outages: DataFrame) -> DataFrame:
    """Return the monitors with their limits and the times for which they were cut off.

    Args:
        monitors: `MONITORS`.
        limits: As `limits_in_force` returns.
        outages: `OUTAGES`.

    Returns:
        The columns of `MONITORS`, `limits` and `m_cuts`; both null where there are none.
    """
    limited = monitors.join(limits, "monitor", "left")
    return with_cuts(limited, outages, "m_gateway", "m_cuts")


def legs(frames: DataFrame, posts: DataFrame, journeys: DataFrame) -> DataFrame:
    """Return the pairs of a frame and a monitor that may be named as having reported it.

    Args:
        frames: As `transforms.frames` returns.
        posts: As `posts` returns.
        journeys: As `transforms.journeys` returns.

    Returns:
        `id`, `monitor`, `m_gateway`; `must` (it is certain, not merely allowed); `cut` (the way was
        cut off); `m_heard_us`, `m_told_us`, null where the event log knows nothing.
    """
    pairs = frames.crossJoin(fn.broadcast(posts)).withColumn("excess_m", excess_m())
    allowed = pairs.filter((fn.col("excess_m") <= EDGE_M) & fn.col("asked") & exceeded("may"))
    wall = fn.col("wall_us")
    chosen = allowed.select(
        "id",
        "monitor",
        "m_gateway",
        ((fn.col("excess_m") <= -EDGE_M) & exceeded("must")).alias("must"),
        (out("v_cuts", wall) | out("m_cuts", wall)).alias("cut"),
    )
    return chosen.join(of_lane(journeys, "monitor", "m_"), ["id", "m_gateway"], "left")
