"""Logs are complete: what contradicts itself, occurs twice, or is not in the ground truth."""

from functools import reduce
from itertools import pairwise

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from analytics.promises.findings import LOGS, Breach

SKEW_US = 1_000_000
"""An effect that is so long before its cause tells of clocks that disagree."""


def doubtful_truth() -> Breach:
    """Charge frames of the ground truth that are twice or contradict themselves; over events."""
    full = fn.least(fn.greatest(fn.col("speed_kmh"), fn.lit(0.0)), fn.lit(255.0))
    rounded = fn.abs(fn.col("rate") - full) > 0.51
    twice = fn.when(fn.col("copies") > 1, "stands twice in the ground truth")
    reason = fn.coalesce(twice, fn.when(rounded, "its rate is not its speed"))
    return Breach(LOGS, reason.isNotNull(), fn.col("vehicle"), reason)


def unknown_to_truth(journeys: DataFrame, events: DataFrame) -> DataFrame:
    """Add to each journey whether the ground truth knows its event: `known`."""
    known = events.select("id", fn.lit(True).alias("known"))
    return journeys.join(known, "id", "left")


def heard_unknown() -> Breach:
    """Charge events that came from a bus and that the ground truth does not know."""
    unknown = (fn.col("lane") == "vehicle") & fn.col("known").isNull()
    return Breach(LOGS, unknown, fn.col("gateway"), fn.lit("is not in the ground truth"))


def twice_in_log() -> Breach:
    """Charge lines of the event log that are twice; over journeys."""
    same = (fn.col("heard_n") > 1) & (fn.col("heard_us") == fn.col("heard_last_us"))
    return Breach(LOGS, same, fn.col("gateway"), fn.lit("its line stands twice"))


def skewed() -> Breach:
    """Charge deliveries whose times run backwards; over judged deliveries."""
    stations = ("wall_us", "v_heard_us", "v_told_us", "j_heard_us", "j_told_us", "d_wall_us")
    steps = pairwise(stations)
    back = [_before(later, earlier) for earlier, later in steps]
    reason = fn.lit("its times run backwards: the clocks disagree")
    return Breach(LOGS, reduce(Column.__or__, back), fn.col("monitor"), reason)


def _before(later: str, earlier: str) -> Column:
    return fn.coalesce(fn.col(later) < fn.col(earlier) - SKEW_US, fn.lit(False))
